package net

import (
	"fmt"

	"tengen/game"
)

// toy is a game for tests: two players fill the cells of a 2x3 board in turn, each move one of the empty cells, and
// nobody wins. The last position but one has a single legal move.
type toy struct {
	owner [6]int8 // 0 empty, else 1 or 2
	ply   int8
	last  game.Action
}

var toyShape = Shape{Height: 2, Width: 3, Actions: 6, Planes: 4}

func newToy(moves ...game.Action) toy {
	s := toy{last: game.None}
	for _, a := range moves {
		s = s.Play(a)
	}
	return s
}

func (s toy) Legal(dst []game.Action) []game.Action {
	for i, owner := range s.owner {
		if owner == 0 {
			dst = append(dst, game.Action(i))
		}
	}
	return dst
}

func (s toy) Play(a game.Action) toy {
	s.owner[a] = 1 + s.ply%2
	s.ply++
	s.last = a
	return s
}

func (s toy) Outcome() (float32, bool) { return 0, int(s.ply) == len(s.owner) }

func (s toy) Encode(planes []float32) {
	clear(planes)
	mover := 1 + s.ply%2
	for i, owner := range s.owner {
		switch owner {
		case 0:
		case mover:
			planes[i] = 1
		default:
			planes[6+i] = 1
		}
		if s.ply%2 == 0 {
			planes[18+i] = 1
		}
	}
	if s.last != game.None {
		planes[12+s.last] = 1
	}
}

func (s toy) Key() game.Key {
	key := game.Key{}
	for _, owner := range s.owner {
		key[0] = 3*key[0] + uint64(owner)
	}
	return key
}

func (s toy) Last() game.Action { return s.last }

func (s toy) ToMove() game.Side { return game.Mover(s.Ply()) }

func (s toy) Ply() int { return int(s.ply) }

func (s toy) Format(a game.Action) string { return fmt.Sprint(a) }

// toys are all positions on the way of a game, the finished one last.
func toys() []toy {
	s := newToy()
	positions := []toy{s}
	for _, a := range toyMoves {
		s = s.Play(a)
		positions = append(positions, s)
	}
	return positions
}

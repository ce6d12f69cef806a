package gomocup

import (
	"errors"
	"fmt"
	"slices"

	"tengen/game"
	"tengen/game/mnk"
)

// board is the stones of a game, the engine's own and its opponent's.
type board struct {
	game  *mnk.Game
	cells []game.Side // game.First: own stones, game.Second: the opponent's
	last  game.Action // the stone that was put last; game.None where that is not known
}

func newBoard(g *mnk.Game) *board {
	return &board{game: g, cells: make([]game.Side, g.Board().Cells()), last: game.None}
}

// clone is a copy that can be changed.
func (b *board) clone() *board { return &board{b.game, slices.Clone(b.cells), b.last} }

// The sides in board.cells.
const (
	own      = game.First
	opponent = game.Second
)

// at is the cell of column x, from the left, and row y, from the top, both from 0.
func (b *board) at(x, y int) (game.Action, error) {
	if size := b.game.Board(); x < 0 || y < 0 || x >= size.Columns || y >= size.Rows {
		return game.None, fmt.Errorf("%d,%d is not on the board of %v", x, y, size)
	}
	return game.Action(y*b.game.Board().Columns + x), nil
}

// format writes a cell as the protocol does, "x,y".
func (b *board) format(a game.Action) string {
	columns := b.game.Board().Columns
	return fmt.Sprintf("%d,%d", int(a)%columns, int(a)/columns)
}

// put puts a stone on an empty cell.
func (b *board) put(side game.Side, x, y int) error {
	a, err := b.at(x, y)
	if err != nil {
		return err
	}
	if b.cells[a] != game.Nobody {
		return fmt.Errorf("%d,%d is taken", x, y)
	}
	b.cells[a], b.last = side, a
	return nil
}

// takeBack takes a stone away.
func (b *board) takeBack(x, y int) error {
	a, err := b.at(x, y)
	if err != nil {
		return err
	}
	if b.cells[a] == game.Nobody {
		return fmt.Errorf("there is no stone on %d,%d", x, y)
	}
	b.cells[a], b.last = game.Nobody, game.None
	return nil
}

// setUp returns the board with these stones alone, x, y and 1 for the engine's own or 2 for the opponent's, which may come in any
// order. Where it may be that of play, because the sides alternate up to the opponent's stone, the last one is taken for the last
// move.
func (b *board) setUp(stones [][]int) (*board, error) {
	next, alternate := newBoard(b.game), true
	before := game.Nobody
	for i, s := range stones {
		if len(s) != 3 || s[2] != 1 && s[2] != 2 {
			return nil, fmt.Errorf("stone %d is not x,y,1 or x,y,2 before DONE: no other stones are supported", i+1)
		}
		side := own
		if s[2] == 2 {
			side = opponent
		}
		if err := next.put(side, s[0], s[1]); err != nil {
			return nil, err
		}
		alternate = alternate && side != before
		before = side
	}
	if !alternate || before != opponent {
		next.last = game.None
	}
	return next, nil
}

// state is the position in which the engine is to move. Who has more stones is taken to have begun, the engine where they are
// equal. The error says that it is over, or cannot be.
func (b *board) state() (mnk.State, error) {
	stones := map[game.Side]int{}
	for _, side := range b.cells {
		stones[side]++
	}
	me := game.First
	if stones[own] < stones[opponent] {
		me = game.Second
	}
	sides := make([]game.Side, len(b.cells))
	for i, side := range b.cells {
		sides[i] = side * me
	}
	last := b.last
	if last != game.None && b.cells[last] != opponent {
		last = game.None
	}
	s, err := b.game.FromStones(sides, me, last)
	if err != nil {
		return s, err
	}
	if z, over := s.Outcome(); over && z == 0 {
		return s, errors.New("the board is full")
	} else if over {
		return s, errors.New("the opponent has won")
	}
	return s, nil
}

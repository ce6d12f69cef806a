package mcts_test

import (
	"slices"
	"strconv"
	"strings"

	"tengen/game"
)

// toy is a position of a game that is written down as a tree, for tests that compute by hand. A move is a lower-case
// letter, a position the moves that led to it. Positions that are not written down have the one move "a", for ever.
type toy struct {
	tree *toyTree
	path string
}

type toyTree struct {
	moves    map[string][]game.Action
	outcomes map[string]float32
}

const toyActions = 26

// newToy returns the start of the game with the given lines of play, such as "aa=+1 ab b": a line ends in a finished
// position with its outcome for the side to move there, or goes on.
func newToy(lines string) toy {
	tree := &toyTree{moves: map[string][]game.Action{}, outcomes: map[string]float32{}}
	for _, line := range strings.Fields(lines) {
		path, outcome, over := strings.Cut(line, "=")
		for i := range path {
			a := letter(path[i])
			if at := path[:i]; !slices.Contains(tree.moves[at], a) {
				tree.moves[at] = append(tree.moves[at], a)
				slices.Sort(tree.moves[at])
			}
		}
		if over {
			z, err := strconv.ParseFloat(outcome, 32)
			if err != nil {
				panic(err)
			}
			tree.outcomes[path] = float32(z)
		}
	}
	return toy{tree: tree}
}

// letter is the move that is written c.
func letter(c byte) game.Action { return game.Action(c - 'a') }

func (t toy) Legal(dst []game.Action) []game.Action {
	if _, over := t.Outcome(); over {
		return dst
	}
	if moves := t.tree.moves[t.path]; moves != nil {
		return append(dst, moves...)
	}
	return append(dst, letter('a'))
}

func (t toy) Play(a game.Action) toy {
	if !slices.Contains(t.Legal(nil), a) {
		panic("illegal move " + strconv.Itoa(int(a)) + " after " + t.path)
	}
	return toy{t.tree, t.path + string(rune('a'+a))}
}

func (t toy) Outcome() (z float32, over bool) {
	z, over = t.tree.outcomes[t.path]
	return z, over
}

func (t toy) Encode([]float32) { panic("a toy has no planes") }

func (t toy) Key() game.Key { panic("a toy has no key") }

func (t toy) Last() game.Action {
	if t.path == "" {
		return game.None
	}
	return letter(t.path[len(t.path)-1])
}

func (t toy) ToMove() game.Side { return game.Mover(t.Ply()) }

func (t toy) Ply() int { return len(t.path) }

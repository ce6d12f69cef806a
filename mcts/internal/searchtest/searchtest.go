// Package searchtest helps to test searches.
package searchtest

import (
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"tengen/game"
)

// Toy is a position of a game written down as a tree. Moves are lower-case letters. Other positions have the one move
// "a", without end.
type Toy struct {
	tree *toyTree
	Path string // moves so far
}

type toyTree struct { // by path
	moves    map[string][]game.Action
	outcomes map[string]float32
}

// ToyActions is the number of actions of a Toy.
const ToyActions = 26

// NewToy returns the start of a game with the given lines, such as "aa=+1 ab b". A number is the outcome for the side
// to move at the line's end.
func NewToy(lines string) Toy {
	tree := &toyTree{moves: map[string][]game.Action{}, outcomes: map[string]float32{}}
	for _, line := range strings.Fields(lines) {
		path, outcome, over := strings.Cut(line, "=")
		for i := range path {
			moves := append(tree.moves[path[:i]], Letter(path[i]))
			slices.Sort(moves)
			tree.moves[path[:i]] = slices.Compact(moves)
		}
		if over {
			z, err := strconv.ParseFloat(outcome, 32)
			if err != nil {
				panic(err)
			}
			tree.outcomes[path] = float32(z)
		}
	}
	return Toy{tree: tree}
}

// Letter returns the move that is written c.
func Letter(c byte) game.Action { return game.Action(c - 'a') }

// Legal implements game.State.
func (t Toy) Legal(dst []game.Action) []game.Action {
	moves, written := t.tree.moves[t.Path]
	if _, over := t.Outcome(); !written && !over {
		return append(dst, Letter('a'))
	}
	return append(dst, moves...)
}

// Play panics on an illegal move.
func (t Toy) Play(a game.Action) Toy {
	if !slices.Contains(t.Legal(nil), a) {
		panic("illegal move " + strconv.Itoa(int(a)) + " after " + t.Path)
	}
	return Toy{t.tree, t.Path + string(rune('a'+a))}
}

// Outcome implements game.State.
func (t Toy) Outcome() (z float32, over bool) {
	z, over = t.tree.outcomes[t.Path]
	return z, over
}

// Encode panics.
func (t Toy) Encode([]float32) { panic("a toy has no planes") }

// Key panics.
func (t Toy) Key() game.Key { panic("a toy has no key") }

// Last implements game.State.
func (t Toy) Last() game.Action {
	if t.Path == "" {
		return game.None
	}
	return Letter(t.Path[len(t.Path)-1])
}

// ToMove implements game.State.
func (t Toy) ToMove() game.Side { return game.Mover(t.Ply()) }

// Ply implements game.State.
func (t Toy) Ply() int { return len(t.Path) }

// Format implements game.State.
func (t Toy) Format(a game.Action) string { return strconv.Itoa(int(a)) }

// RandomPosition returns a position after random moves, fewer if the game ends.
func RandomPosition[S game.State[S]](g game.Game[S], moves int, rng *rand.Rand) S {
	s := g.Start()
	for range moves {
		if legal := s.Legal(nil); len(legal) > 0 {
			s = s.Play(legal[rng.IntN(len(legal))])
		}
	}
	return s
}

// Minimax returns the exact value of a position for the side to move.
func Minimax[S game.State[S]](s S) float64 {
	if z, over := s.Outcome(); over {
		return float64(z)
	}
	best := -1.0
	for _, a := range s.Legal(nil) {
		if best = max(best, -Minimax(s.Play(a))); best == 1 {
			break
		}
	}
	return best
}

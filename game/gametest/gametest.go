// Package gametest tests whether an implementation of game.Game satisfies its contract.
//
// Run checks every position of random games from fixed seeds, and the optional interfaces that a game implements. It
// cannot know which positions are won, except by the lines of a game.Alignment.
package gametest

import (
	"fmt"
	"runtime/debug"
	"testing"

	"tengen/game"
	"tengen/internal/random"
)

// Run checks g, with a subtest for each claim of the contract. The test must not be parallel, because Run measures
// allocations.
func Run[S game.State[S]](t *testing.T, g game.Game[S]) {
	for _, c := range claims(g) {
		t.Run(c.name, func(t *testing.T) {
			if err := c.holds(g); err != nil {
				t.Error(err)
			}
		})
	}
}

// claim is a promise of the contract. check returns an error if g breaks it.
type claim[S game.State[S]] struct {
	name  string
	check func(g game.Game[S]) error
}

// claims returns the claims that apply to g, the basic ones first. If one fails, those after it may fail because of it.
func claims[S game.State[S]](g game.Game[S]) []claim[S] {
	all := []claim[S]{
		{"the board is described", description[S]},
		{"positions can be compared", comparability[S]},
		{"positions can be shown", display[S]},
		{"the start is an open game", start[S]},
		{"games end", everywhere(ending[S])},
		{"legal moves are in order", everywhere(legalOrder[S])},
		{"the sides move in turn", everywhere(turns[S])},
		{"illegal moves panic", everywhere(illegalMoves[S])},
		{"play leaves the position alone", everywhere(immutability[S])},
		{"outcomes are results", everywhere(outcome[S])},
		{"planes are overwritten", everywhere(overwriting[S])},
		{"symmetries form a group", symmetryGroup[S]},
		{"symmetries keep the rules", symmetryRules[S]},
		{"notation parses back", notation[S]},
		{"equal keys stand for equal play", keys[S]},
		{"the hot loop does not allocate", allocation[S]},
	}
	if _, ok := any(g.Start()).(game.Diagram); ok {
		all = append(all, claim[S]{"targets stand for moves", everywhere(targets[S])})
	}
	if _, ok := any(g.Start()).(game.Placement); ok {
		all = append(all,
			claim[S]{"stones are placed", placing[S]},
			claim[S]{"the winner is the side that moved last", everywhere(winner[S])},
			claim[S]{"planes show the stones", everywhere(encoding[S])},
			claim[S]{"keys tell stones apart", stoneKeys[S]})
	}
	if _, ok := any(g.Start()).(game.Alignment); ok {
		all = append(all, claim[S]{"lines decide the game", alignment[S]})
	}
	if _, ok := g.(game.Setup[S]); ok {
		all = append(all, claim[S]{"positions can be set up", setup[S]})
	}
	return all
}

// holds runs the check and returns a panic as an error.
func (c claim[S]) holds(g game.Game[S]) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v\n%s", p, debug.Stack())
		}
	}()
	return c.check(g)
}

// everywhere returns a check of holds in every position of visit.
func everywhere[S game.State[S]](
	holds func(g game.Game[S], moves []game.Action, s S) error,
) func(g game.Game[S]) error {
	return func(g game.Game[S]) error {
		return visit(g, func(moves []game.Action, s S) error { return holds(g, moves, s) })
	}
}

// visit plays random games and calls f for every position, with the moves to it. f must neither keep nor modify moves.
func visit[S game.State[S]](g game.Game[S], f func(moves []game.Action, s S) error) error {
	games := 8 + 400/g.MaxPlies()
	for n := range games {
		rng := random.New(1, random.Suite, uint64(n))
		s := g.Start()
		var moves, legal []game.Action
		for {
			if err := f(moves, s); err != nil {
				return fmt.Errorf("after %q: %w", game.FormatMoves(g.Start(), moves), err)
			}
			if _, over := s.Outcome(); over {
				break
			}
			legal = s.Legal(legal[:0])
			if len(legal) == 0 || len(moves) == g.MaxPlies() {
				return fmt.Errorf("after %q: the game continues with %d legal moves, after %d plies of at most %d",
					game.FormatMoves(g.Start(), moves), len(legal), len(moves), g.MaxPlies())
			}
			a := legal[rng.IntN(len(legal))]
			s = s.Play(a)
			moves = append(moves, a)
		}
	}
	return nil
}

func encode[S game.State[S]](g game.Game[S], s S) []float32 {
	planes := make([]float32, game.InputLen(g))
	s.Encode(planes)
	return planes
}

func panics(f func()) (did bool) {
	defer func() { did = recover() != nil }()
	f()
	return false
}

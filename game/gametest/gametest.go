// Package gametest checks that an implementation of game.Game keeps the contract.
//
// Run plays random games from fixed seeds and examines every position on the way, so a failure repeats. It holds games
// to one claim after another, see claims, each of which is itself tested by a game that breaks it. A game whose
// positions are a game.Diagram, a game.Placement or a game.Alignment is held to that contract as well, and one that is
// a game.Setup to that. What Run cannot know is which positions are won: RunLines checks that for games of k in a row,
// and others need a test of their own. Bench measures what a search asks of a game.
package gametest

import (
	"fmt"
	"runtime/debug"
	"testing"

	"tengen/game"
	"tengen/internal/random"
)

// Run checks g, one subtest for each claim of the contract. It measures allocations, so the test that calls it must not
// be parallel.
func Run[S game.State[S]](t *testing.T, g game.Game[S]) {
	for _, c := range claims(g) {
		t.Run(c.name, func(t *testing.T) {
			if err := c.holds(g); err != nil {
				t.Error(err)
			}
		})
	}
}

// claim is one promise of the contract and the check that returns an error when g breaks it.
type claim[S game.State[S]] struct {
	name  string
	check func(g game.Game[S]) error
}

// claims are what g promises, in an order in which the first to fail is the likeliest cause of the rest.
func claims[S game.State[S]](g game.Game[S]) []claim[S] {
	all := []claim[S]{
		{"the board is described", description[S]},
		{"positions can be compared", comparability[S]},
		{"positions can be shown", display[S]},
		{"the start is an open game", start[S]},
		{"games end", ending[S]},
		{"legal moves are in order", legalOrder[S]},
		{"the sides move in turn", turns[S]},
		{"illegal moves panic", illegalMoves[S]},
		{"play leaves the position alone", immutability[S]},
		{"outcomes are results", outcome[S]},
		{"planes are overwritten", overwriting[S]},
		{"symmetries form a group", symmetryGroup[S]},
		{"symmetries keep the rules", symmetryRules[S]},
		{"notation parses back", notation[S]},
		{"equal keys stand for equal play", keys[S]},
		{"the hot loop does not allocate", allocation[S]},
	}
	if _, ok := any(g.Start()).(game.Diagram); ok {
		all = append(all, claim[S]{"cells stand for moves", targets[S]})
	}
	if _, ok := any(g.Start()).(game.Placement); ok {
		all = append(all,
			claim[S]{"stones are placed", placing[S]},
			claim[S]{"the winner is the side that moved last", winner[S]},
			claim[S]{"planes show the stones", encoding[S]},
			claim[S]{"keys tell stones apart", stoneKeys[S]})
	}
	if _, ok := any(g.Start()).(game.Alignment); ok {
		all = append(all,
			claim[S]{"lines decide the game", alignment[S]},
			claim[S]{"lines and stones do not allocate", alignmentAllocation[S]})
	}
	if _, ok := g.(game.Setup[S]); ok {
		all = append(all, claim[S]{"positions can be set up", setup[S]})
	}
	return all
}

// holds runs the check. A panic in the game is a failure like any other.
func (c claim[S]) holds(g game.Game[S]) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v\n%s", p, debug.Stack())
		}
	}()
	return c.check(g)
}

// visit plays random games and shows f every position with the moves that led to it, from the start of each game to its
// end. f must neither keep nor change moves. Its first error ends the visit.
func visit[S game.State[S]](g game.Game[S], f func(moves []game.Action, s S) error) error {
	games := 8 + 400/g.MaxPlies()
	for n := range games {
		rng := random.New(1, random.Suite, uint64(n))
		s := g.Start()
		var moves, legal []game.Action
		for {
			if err := f(moves, s); err != nil {
				return fmt.Errorf("after %q: %w", g.FormatMoves(moves), err)
			}
			if _, over := s.Outcome(); over {
				break
			}
			legal = s.Legal(legal[:0])
			if len(legal) == 0 || len(moves) == g.MaxPlies() {
				return fmt.Errorf("after %q: the game goes on with %d legal moves, after %d plies of at most %d",
					g.FormatMoves(moves), len(legal), len(moves), g.MaxPlies())
			}
			a := legal[rng.IntN(len(legal))]
			s = s.Play(a)
			moves = append(moves, a)
		}
	}
	return nil
}

// encode returns the planes of s.
func encode[S game.State[S]](g game.Game[S], s S) []float32 {
	planes := make([]float32, game.InputLen(g))
	s.Encode(planes)
	return planes
}

// panics reports whether f does.
func panics(f func()) (did bool) {
	defer func() { did = recover() != nil }()
	f()
	return false
}

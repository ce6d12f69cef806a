package breakthrough

import (
	"testing"

	"tengen/game"
	"tengen/internal/fulltest"
	"tengen/solver"
)

// TestSolved solves boards that the first player loses.
func TestSolved(t *testing.T) {
	for _, numbers := range []string{"3,5", "4,5"} {
		g, err := Parse(numbers)
		if err != nil {
			t.Fatal(err)
		}
		if wins(g.Start(), map[[2]uint64]bool{}) {
			t.Errorf("%s: the first player wins; want a loss", numbers)
		}
		if numbers == "4,5" && !fulltest.On {
			continue // takes a minute
		}
		exact, err := solver.General[State](g).New(solver.Options{TableMegabytes: 256, Threads: 1})
		if err != nil {
			t.Fatal(err)
		}
		if score, err := exact.Solve(t.Context(), g.Start()); err != nil || score >= 0 {
			t.Errorf("%s: the score of the first player is %d, error %v; want a loss", numbers, score, err)
		}
	}
}

// wins reports whether the side to move wins. known holds what it has found, by the pieces. It tries moves that end the
// game first, then captures.
func wins(s State, known map[[2]uint64]bool) (won bool) {
	if _, over := s.Outcome(); over {
		return false
	}
	key := [2]uint64{s.own, s.opponent}
	if won, ok := known[key]; ok {
		return won
	}
	defer func() { known[key] = won }()
	var moves [48]game.Action
	var captures, others []State
	for _, a := range s.Legal(moves[:0]) {
		next := s.Play(a)
		if _, over := next.Outcome(); over {
			return true
		}
		if next.own != s.game.turned(s.opponent) {
			captures = append(captures, next)
		} else {
			others = append(others, next)
		}
	}
	for _, next := range append(captures, others...) {
		if !wins(next, known) {
			return true
		}
	}
	return false
}

package mcts_test

import (
	"fmt"
	"testing"

	"tengen/game"
	"tengen/game/connect4"
	"tengen/mcts"
)

// What a search says of a position below the root is what it says when it has come there.
func TestBelowIsWhatAdvanceFinds(t *testing.T) {
	g := connect4.Standard()
	search := func() *mcts.Search[connect4.State] {
		return searched(t, alphaZero(), g.Actions(), g.Start(), hashed[connect4.State](1), 400)
	}
	s, known := search(), 0
	for _, line := range [][]game.Action{nil, {3}, {0}, {3, 3}, {2, 4, 3}, s.PV(nil)} {
		below, ok := s.Below(line)
		there := search()
		for _, a := range line {
			there.Advance(a)
		}
		if !ok {
			if len(there.Stats(nil)) > 0 {
				t.Errorf("%v is not in the tree, but Advance finds it", line)
			}
			continue
		}
		known++
		visits := there.Visits()
		if len(below.Moves) == 0 {
			visits = below.Visits // Advance does not know them
		}
		got := fmt.Sprint(below, s.PV(nil, line...))
		want := fmt.Sprint(mcts.Below{Visits: visits, Value: there.Value(), Proven: there.Proven(), Moves: there.Stats(nil), PV: there.PV(nil)}, there.PV(nil))
		if got != want {
			t.Errorf("below %v:\n%s, want\n%s", line, got, want)
		}
	}
	if known < 4 {
		t.Errorf("only %d of the lines are in the tree", known)
	}
	if _, ok := s.Below([]game.Action{3, 99}); ok || len(s.PV(nil, 99)) > 0 {
		t.Error("there is something below a move that is none")
	}
}

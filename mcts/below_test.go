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
		got := fmt.Sprint(below.Value, below.Proven, below.Moves, below.PV, s.PV(nil, line...))
		pv := there.PV(nil)
		if want := fmt.Sprint(there.Value(), there.Proven(), there.Stats(nil), pv, pv); got != want {
			t.Errorf("below %v:\n%s, want\n%s", line, got, want)
		}
		if visits := sumVisits(below.Moves); len(line) > 0 && len(below.Moves) > 0 && below.Proven == game.Unknown && visits+1 != below.Visits {
			t.Errorf("%v has %d visits, its moves %d", line, below.Visits, visits)
		}
	}
	if known < 4 {
		t.Errorf("only %d of the lines are in the tree", known)
	}
	if _, ok := s.Below([]game.Action{3, 99}); ok || len(s.PV(nil, 99)) > 0 {
		t.Error("there is something below a move that is none")
	}
}

func sumVisits(moves []mcts.Stat) int {
	n := 0
	for _, m := range moves {
		n += m.Visits
	}
	return n
}

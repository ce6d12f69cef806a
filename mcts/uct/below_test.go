package uct_test

import (
	"fmt"
	"testing"

	"tengen/game"
	"tengen/game/connect4"
	"tengen/internal/random"
	"tengen/mcts/uct"
)

// What a search says of a position below the root is what it says when it has come there.
func TestBelowIsWhatAdvanceFinds(t *testing.T) {
	search := func() *uct.Search[connect4.State] {
		s := uct.New[connect4.State](uct.DefaultExploration)
		s.Reset(connect4.Standard().Start())
		s.Run(t.Context(), 500, random.New(1, random.Test))
		return s
	}
	s := search()
	for _, line := range [][]game.Action{nil, {3}, {3, 3}, s.PV(nil)} {
		there := search()
		for _, a := range line {
			there.Advance(a)
		}
		below, ok := s.Below(line)
		pv := there.PV(nil)
		got := fmt.Sprint(ok, below.Visits, below.Value, below.Moves, below.PV, s.PV(nil, line...))
		if want := fmt.Sprint(true, there.Playouts(), there.Value(), there.Stats(nil), pv, pv); got != want {
			t.Errorf("below %v:\n%s, want\n%s", line, got, want)
		}
	}
	if _, ok := s.Below([]game.Action{99}); ok || len(s.PV(nil, 99)) > 0 {
		t.Error("there is something below a move that is none")
	}
}

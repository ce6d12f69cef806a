package mcts_test

import (
	"fmt"
	"math"
	"testing"

	"tengen/game"
	"tengen/internal/errtest"
	"tengen/internal/random"
	"tengen/mcts"
)

// Stats has the root's legal moves by ascending action, and nothing until the root is expanded.
func TestStats(t *testing.T) {
	s := mcts.New[toy](alphaZero(), toyActions)
	s.Reset(newToy("b d=+1 c x"))
	if stats := s.Stats(nil); len(stats) != 0 || s.Value() != 0 || s.Proven() != game.Unknown {
		t.Errorf("before the first simulation: %v", stats)
	}
	simulate(t, s, written([]float32{0.1, 0.2, 0.3, 0.4}, map[string]float32{"x": -0.5}), 2)
	stats := s.Stats([]mcts.Stat{{Action: 99}})
	want := []mcts.Stat{{Action: 99}, {Action: 1, Prior: 0.1}, {Action: 2, Prior: 0.2}, {Action: 3, Prior: 0.3, Q: -1, Proven: game.Loss},
		{Action: 23, Prior: 0.4, Visits: 1, Q: 0.5}}
	if fmt.Sprint(stats) != fmt.Sprint(want) {
		t.Errorf("stats are %v, want %v", stats, want)
	}
}

// A move that was never visited, on a root that was never expanded or was: the search starts from nothing.
func TestAdvanceToNewMove(t *testing.T) {
	for _, simulations := range []int{0, 1, 2} {
		s := mcts.New[toy](alphaZero(), toyActions)
		s.Reset(newToy("aa=-1 b ba=+1 bb"))
		simulate(t, s, &mcts.Uniform[toy]{}, simulations)
		s.Advance(letter('b'))
		if len(s.Stats(nil)) != 0 || s.Value() != 0 {
			t.Errorf("a new root has %v", s.Stats(nil))
		}
		simulate(t, s, &mcts.Uniform[toy]{}, 20)
		if s.Root().Path != "b" || s.Simulations() != 20 || statOf(t, s, letter('a')).Proven != game.Loss {
			t.Errorf("root is %q with %v", s.Root().Path, s.Stats(nil))
		}
	}
}

// Actions are stored in 16 bits.
func TestNewAllowsActionsOf16Bits(t *testing.T) {
	mcts.New[toy](alphaZero(), math.MaxInt16)
	errtest.Panics(t, func() { mcts.New[toy](alphaZero(), math.MaxInt16+1) })
}

// The rules refuse an illegal move, and no leaf may wait for an evaluation.
func TestAdvancePanics(t *testing.T) {
	s := searched(t, alphaZero(), toyActions, newToy("a b"), &mcts.Uniform[toy]{}, 5)
	errtest.Panics(t, func() { s.Advance(letter('c')) })
	s.Select()
	errtest.Panics(t, func() { s.Advance(letter('a')) })
}

// Reset forgets everything, leaves in flight included.
func TestReset(t *testing.T) {
	s := searched(t, alphaZero(), toyActions, newToy("a b"), &mcts.Uniform[toy]{}, 20)
	s.Begin(20, random.New(1, random.Test))
	s.Select()
	s.Select()
	s.Reset(newToy("c d"))
	s.Walk(func(path []game.Action, e mcts.EdgeStat) {
		if len(path) > 0 || e != (mcts.EdgeStat{}) {
			t.Errorf("after %v: %+v", path, e)
		}
	})
	errtest.Panics(t, func() { s.Expand(make([]float32, toyActions), 0) })
	simulate(t, s, &mcts.Uniform[toy]{}, 3)
	if s.Simulations() != 3 || statOf(t, s, letter('c')).Prior != 0.5 {
		t.Errorf("after Reset: %d simulations, %v", s.Simulations(), s.Stats(nil))
	}
}

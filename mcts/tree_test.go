package mcts_test

import (
	"fmt"
	"maps"
	"math"
	"testing"

	"tengen/game"
	"tengen/game/connect4"
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

// Advance keeps the subtree of the move and nothing else (Silver et al. 2017, Methods, "Play").
func TestAdvanceKeepsTheSubtree(t *testing.T) {
	for seed := range uint64(50) {
		checkAdvance(t, bushActions, newBush(seed), seed)
	}
	for seed := range uint64(20) {
		checkAdvance(t, 7, connect4.Standard().Start(), seed)
	}
}

// checkAdvance plays a game of random moves, visited or not, with simulations between them.
func checkAdvance[S game.State[S]](t *testing.T, actions int, root S, seed uint64) {
	t.Helper()
	rng := random.New(seed, random.Test)
	ev := hashed[S](seed)
	s := mcts.New[S](alphaZero(), actions)
	s.Reset(root)
	for {
		if rng.IntN(4) > 0 {
			simulate(t, s, ev, rng.IntN(300))
		}
		legal := s.Root().Legal(nil)
		if len(legal) == 0 {
			return
		}
		a := legal[rng.IntN(len(legal))]
		want := map[string]mcts.EdgeStat{"[]": {}}
		s.Walk(func(path []game.Action, e mcts.EdgeStat) {
			if len(path) > 0 && path[0] == a {
				want[fmt.Sprint(path[1:])] = e
			}
		})
		next := s.Root().Play(a)
		s.Advance(a)
		got := map[string]mcts.EdgeStat{}
		s.Walk(func(path []game.Action, e mcts.EdgeStat) { got[fmt.Sprint(path)] = e })
		if !maps.Equal(got, want) {
			t.Fatalf("seed %d: %d moves after Advance differ from %d below move %d before", seed, len(got), len(want), a)
		}
		if s.Simulations() != 0 {
			t.Errorf("%d simulations right after Advance", s.Simulations())
		}
		if s.Root().Key() != next.Key() {
			t.Errorf("root is %v, want %v", s.Root(), next)
		}
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
	mustPanic(t, func() { mcts.New[toy](alphaZero(), math.MaxInt16+1) })
}

// The rules refuse an illegal move, and no leaf may wait for an evaluation.
func TestAdvancePanics(t *testing.T) {
	s := searched(t, alphaZero(), toyActions, newToy("a b"), &mcts.Uniform[toy]{}, 5)
	mustPanic(t, func() { s.Advance(letter('c')) })
	s.Select()
	mustPanic(t, func() { s.Advance(letter('a')) })
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
	mustPanic(t, func() { s.Expand(make([]float32, toyActions), 0) })
	simulate(t, s, &mcts.Uniform[toy]{}, 3)
	if s.Simulations() != 3 || statOf(t, s, letter('c')).Prior != 0.5 {
		t.Errorf("after Reset: %d simulations, %v", s.Simulations(), s.Stats(nil))
	}
}

package mcts_test

import (
	"testing"

	"tengen/game"
	"tengen/game/connect4"
	"tengen/mcts"
)

// A warm search allocates nothing: not from simulation to simulation, not from move to move, not from game to game.
func TestSearchDoesNotAllocate(t *testing.T) {
	t.Run("connect four", func(t *testing.T) {
		g := connect4.Standard()
		checkSearchAllocations(t, g.Actions(), g.Start())
	})
	t.Run("6,6,4", func(t *testing.T) {
		g := mustMNK(t, 6, 6, 4)
		checkSearchAllocations(t, g.Actions(), g.Start())
	})
}

func checkSearchAllocations[S game.State[S]](t *testing.T, actions int, root S) {
	s := mcts.New[S](mcts.Default(), actions)
	ev := &mcts.Uniform[S]{}
	leaves := make([]S, 1)
	priors := [][]float32{make([]float32, actions)}
	values := make([]float32, 1)
	policy := make([]float32, actions)
	var stats []mcts.Stat
	var pv []game.Action
	search := func() {
		s.Reset(root)
		for range 4 {
			for range 300 {
				leaf, status := s.Select()
				if status != mcts.Leaf {
					continue
				}
				leaves[0] = leaf
				if err := ev.Evaluate(leaves, priors, values); err != nil {
					t.Fatal(err)
				}
				s.Expand(priors[0], values[0])
			}
			s.Policy(policy)
			stats = s.Stats(stats[:0])
			pv = s.PV(pv[:0])
			s.Advance(pv[0])
		}
	}
	if n := testing.AllocsPerRun(5, search); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

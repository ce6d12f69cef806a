package mcts_test

import (
	"math/rand/v2"
	"testing"

	"tengen/game"
	"tengen/game/connect4"
	"tengen/mcts"
)

// A warm search allocates nothing: not from simulation to simulation, not from move to move, not from game to game.
func TestSearchDoesNotAllocate(t *testing.T) {
	for _, cfg := range []mcts.Config{alphaZero(), withProver(100)} {
		checkSearchAllocations(t, cfg, connect4.Standard())
		checkSearchAllocations(t, cfg, mustMNK(t, "6,6,4"))
	}
}

func checkSearchAllocations[S game.State[S]](t *testing.T, cfg mcts.Config, g game.Game[S]) {
	t.Helper()
	s := mcts.New[S](cfg, g.Actions())
	ev := &mcts.Uniform[S]{}
	leaves := make([]S, 1)
	priors := [][]float32{make([]float32, g.Actions())}
	values := make([]float32, 1)
	source := rand.NewPCG(1, 1)
	rng := rand.New(source)
	var decision mcts.Decision
	var stats []mcts.Stat
	var pv []game.Action
	search := func() {
		source.Seed(1, 1) // the same search again
		s.Reset(g.Start())
		for range 4 {
			s.Begin(300, rng)
			for !s.Done() {
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
			s.Decide(1, rng, &decision)
			stats = s.Stats(stats[:0])
			pv = s.PV(pv[:0])
			s.Advance(decision.Action)
		}
	}
	if n := testing.AllocsPerRun(5, search); n != 0 {
		t.Errorf("%s, %+v: %v allocations", g.Name(), cfg, n)
	}
}

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
	t.Run("connect four", func(t *testing.T) {
		g := connect4.Standard()
		checkSearchAllocations(t, alphaZero(), g.Actions(), g.Start())
	})
	t.Run("6,6,4", func(t *testing.T) {
		g := mustMNK(t, 6, 6, 4)
		checkSearchAllocations(t, alphaZero(), g.Actions(), g.Start())
	})
	t.Run("with a prover", func(t *testing.T) {
		g := mustMNK(t, 6, 6, 4)
		checkSearchAllocations(t, withProver(100), g.Actions(), g.Start())
	})
	t.Run("a Gumbel root", func(t *testing.T) {
		g := mustMNK(t, 6, 6, 4)
		for _, simulations := range []int{0, 100} {
			checkSearchAllocations(t, withGumbel(16, simulations), g.Actions(), g.Start())
		}
	})
	t.Run("with bounds and spreads", func(t *testing.T) {
		cfg := alphaZero()
		cfg.LCB, cfg.VarianceScale = 1.96, 1
		g := connect4.Standard()
		checkSearchAllocations(t, cfg, g.Actions(), g.Start())
	})
	t.Run("a variant", func(t *testing.T) {
		mcts.UseTurns(t)
		g := connect4.Standard()
		checkSearchAllocations(t, alphaZero(), g.Actions(), g.Start())
	})
}

func checkSearchAllocations[S game.State[S]](t *testing.T, cfg mcts.Config, actions int, root S) {
	s := mcts.New[S](cfg, actions)
	ev := &mcts.Uniform[S]{}
	leaves := make([]S, 1)
	priors := [][]float32{make([]float32, actions)}
	values := make([]float32, 1)
	source := rand.NewPCG(1, 1)
	rng := rand.New(source)
	explore, temperature := rng, 1.0
	if cfg.LCB > 0 {
		explore, temperature = nil, 0
	}
	var decision mcts.Decision
	var stats []mcts.Stat
	var pv []game.Action
	search := func() {
		source.Seed(1, 1) // the same search again
		s.Reset(root)
		for range 4 {
			s.Begin(300, explore)
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
			s.Decide(temperature, rng, &decision)
			stats = s.Stats(stats[:0])
			pv = s.PV(pv[:0])
			s.Advance(decision.Action)
		}
	}
	if n := testing.AllocsPerRun(5, search); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

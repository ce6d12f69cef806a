package mcts_test

import (
	"testing"

	"tengen/game"
	"tengen/game/connect4"
	"tengen/game/mnk"
	"tengen/mcts"
)

// BenchmarkSearch is the speed of the search itself: 800 simulations from the starting position with an evaluator that
// costs nothing.
func BenchmarkSearch(b *testing.B) {
	b.Run("connect4", func(b *testing.B) {
		g := connect4.Standard()
		benchmarkSearch(b, g.Actions(), g.Start())
	})
	b.Run("6,6,4", func(b *testing.B) {
		g := mustMNK(b, 6, 6, 4)
		benchmarkSearch(b, g.Actions(), g.Start())
	})
	b.Run("gomoku", func(b *testing.B) {
		g := mnk.Gomoku()
		benchmarkSearch(b, g.Actions(), g.Start())
	})
}

func benchmarkSearch[S game.State[S]](b *testing.B, actions int, root S) {
	const simulations = 800
	s := mcts.New[S](alphaZero(), actions)
	ev := &mcts.Uniform[S]{}
	b.ReportAllocs()
	for b.Loop() {
		s.Reset(root)
		simulate(b, s, ev, simulations)
	}
	b.ReportMetric(float64(simulations*b.N)/b.Elapsed().Seconds(), "simulations/s")
}

package mcts_test

import (
	"testing"

	"tengen/game"
	"tengen/game/connect4"
	"tengen/game/mnk"
	"tengen/internal/random"
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
	s := mcts.New[S](mcts.Default(), actions)
	ev := &mcts.Uniform[S]{}
	b.ReportAllocs()
	for b.Loop() {
		s.Reset(root)
		simulate(b, s, ev, simulations)
	}
	b.ReportMetric(float64(simulations*b.N)/b.Elapsed().Seconds(), "simulations/s")
}

// BenchmarkUCT is the speed of random playouts: 1000 from the starting position.
func BenchmarkUCT(b *testing.B) {
	b.Run("connect4", func(b *testing.B) { benchmarkUCT(b, connect4.Standard().Start()) })
	b.Run("6,6,4", func(b *testing.B) { benchmarkUCT(b, mustMNK(b, 6, 6, 4).Start()) })
	b.Run("gomoku", func(b *testing.B) { benchmarkUCT(b, mnk.Gomoku().Start()) })
}

func benchmarkUCT[S game.State[S]](b *testing.B, root S) {
	const playouts = 1000
	u := mcts.NewUCT[S](mcts.DefaultExploration)
	rng := random.New(1, random.Test)
	b.ReportAllocs()
	for b.Loop() {
		if err := u.Run(b.Context(), root, mcts.Budget{Simulations: playouts}, rng); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(playouts*b.N)/b.Elapsed().Seconds(), "playouts/s")
}

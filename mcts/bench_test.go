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
	b.Run("connect4", func(b *testing.B) { benchmarkSearch(b, connect4.Standard()) })
	b.Run("6,6,4", func(b *testing.B) { benchmarkSearch(b, mustMNK(b, "6,6,4")) })
	b.Run("gomoku", func(b *testing.B) { benchmarkSearch(b, mnk.Gomoku()) })
}

func benchmarkSearch[S game.State[S]](b *testing.B, g game.Game[S]) {
	const simulations = 800
	s := mcts.New[S](alphaZero(), g.Actions())
	b.ReportAllocs()
	for b.Loop() {
		s.Reset(g.Start())
		simulate(b, s, &mcts.Uniform[S]{}, simulations)
	}
	b.ReportMetric(float64(simulations*b.N)/b.Elapsed().Seconds(), "simulations/s")
}

// BenchmarkDrive is the speed of many searches at once, as in a match: 32 searches of 100 simulations in batches of 32.
func BenchmarkDrive(b *testing.B) {
	g := connect4.Standard()
	searches := make([]*mcts.Search[connect4.State], 32)
	for i := range searches {
		searches[i] = mcts.New[connect4.State](alphaZero(), g.Actions())
	}
	ev := []mcts.Evaluator[connect4.State]{&mcts.Uniform[connect4.State]{}}
	b.ReportAllocs()
	for b.Loop() {
		for _, s := range searches {
			s.Reset(g.Start())
			s.Begin(100, nil)
		}
		if err := mcts.Drive(b.Context(), searches, ev, mcts.DriveOptions{Batch: 32}); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(len(searches)*100*b.N)/b.Elapsed().Seconds(), "simulations/s")
}

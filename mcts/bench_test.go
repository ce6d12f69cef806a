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

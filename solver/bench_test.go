package solver_test

import (
	"testing"

	"tengen/game"
	"tengen/game/connect4"
	"tengen/game/mnk"
)

// BenchmarkSearch searches the empty boards to a depth.
func BenchmarkSearch(b *testing.B) {
	b.Run("connect4/8", func(b *testing.B) { benchmarkSearch(b, connect4.Standard(), 8) })
	b.Run("6x6x4/5", func(b *testing.B) { benchmarkSearch(b, newMNK(b, "6,6,4"), 5) })
	b.Run("gomoku/2", func(b *testing.B) { benchmarkSearch(b, mnk.Gomoku(), 2) })
}

func benchmarkSearch[S game.State[S]](b *testing.B, g game.Game[S], depth int) {
	s := newSearcher(b, g)
	var nodes uint64
	b.ReportAllocs()
	for b.Loop() {
		nodes += deepen(b.Context(), s, g.Start(), depth).Nodes
	}
	b.ReportMetric(float64(nodes)/b.Elapsed().Seconds(), "nodes/s")
	b.ReportMetric(float64(nodes)/float64(b.N), "nodes/op")
}

package mnk_test

import (
	"testing"
)

// BenchmarkSolve solves empty boards, each with a new table.
func BenchmarkSolve(b *testing.B) {
	for _, numbers := range []string{"4,4,4", "5,5,4", "6,5,4", "6,6,4", "8,8,4", "6,6,5", "7,4,4"} {
		b.Run(numbers, func(b *testing.B) {
			g := parse(b, numbers)
			b.ReportAllocs()
			var nodes uint64
			for b.Loop() {
				s := newSolver(b, g, 1<<20)
				if _, err := s.Solve(b.Context(), g.Start()); err != nil {
					b.Fatal(err)
				}
				nodes = s.Nodes()
			}
			b.ReportMetric(float64(nodes), "nodes")
		})
	}
}

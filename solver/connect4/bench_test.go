package connect4

import (
	"testing"

	"tengen/game/connect4"
)

// BenchmarkPublished solves the sets of Pons with a table that is kept from one position to the next; an operation is one
// position.
func BenchmarkPublished(b *testing.B) {
	for _, name := range []string{"end-easy", "begin-easy"} {
		set := published(b, name)
		b.Run(name, func(b *testing.B) {
			s := solverWith(b, connect4.Standard(), Options{TableMegabytes: 8, Threads: 1})
			b.ReportAllocs()
			n := 0
			for b.Loop() {
				if n == 0 { // a round begins: forget the last one
					b.StopTimer()
					for i := range s.table.entries {
						s.table.entries[i].Store(0)
					}
					b.StartTimer()
				}
				if _, err := s.Solve(b.Context(), set[n].state); err != nil {
					b.Fatal(err)
				}
				n = (n + 1) % len(set)
			}
			b.ReportMetric(float64(s.Nodes())/float64(b.N), "nodes/op")
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "positions/s")
		})
	}
}

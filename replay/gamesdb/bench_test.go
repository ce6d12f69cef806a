package gamesdb

import (
	"fmt"
	"testing"

	"tengen/replay"
)

// BenchmarkPut stores games of 25 positions, as Connect Four's, some in each transaction. Each transaction ends on the
// disk.
func BenchmarkPut(b *testing.B) {
	for _, n := range []int{1, 16, 256} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			d := openTest(b, b.TempDir())
			var games []*replay.Record
			for i := range n {
				games = append(games, testGame(uint64(i), 25))
			}
			for b.Loop() {
				noError(b, d.Put(b.Context(), by("w", games...)...))
				for _, g := range games {
					g.Number += uint64(n)
				}
			}
			commits := float64(b.N) / b.Elapsed().Seconds()
			b.ReportMetric(commits, "commits/s")
			b.ReportMetric(commits*float64(n), "games/s")
		})
	}
}

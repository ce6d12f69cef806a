package cluster

import (
	"fmt"
	"testing"

	"tengen/selfplay"
)

// BenchmarkGames has workers send games that take no time to play. They run in the trainer's process and use its cores.
// The rules are not checked, and games are kept in memory.
func BenchmarkGames(b *testing.B) {
	const games = 20_000 // of an iteration
	for _, workers := range []int{1, 10, 100} {
		b.Run(fmt.Sprint(workers), func(b *testing.B) {
			names := workerNames(workers)
			f := newField(b, names...)
			c := f.coordinator(nil)
			for _, name := range names {
				f.work(name, &toy{parallel: 64})
			}
			model := uint64(0)
			for b.Loop() {
				if _, err := c.Play(b.Context(), model, weights, selfplay.Numbers(numbers(model*games, (model+1)*games)), newSink()); err != nil {
					b.Fatal(err)
				}
				model++
			}
			b.ReportMetric(games*float64(b.N)/b.Elapsed().Seconds(), "games/s")
		})
	}
}

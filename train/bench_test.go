package train

import (
	"testing"

	"tengen/game"
	"tengen/game/connect4"
	"tengen/game/mnk"
	"tengen/internal/parallel"
	"tengen/internal/random"
	"tengen/net"
	"tengen/replay"
)

// Steps as a run takes them: samples of a window, adam. 5 blocks of 64 channels are the network of
// docs/performance.md, without and with auxiliary heads.
func BenchmarkStep(b *testing.B) {
	auxiliary := net.Default()
	auxiliary.ReplyWeight, auxiliary.OccupancyWeight = 0.15, 0.15
	b.Run("7x6", func(b *testing.B) { benchmarkStep(b, connect4.Standard(), net.Default()) })
	b.Run("7x6/auxiliary", func(b *testing.B) { benchmarkStep(b, connect4.Standard(), auxiliary) })
	b.Run("15x15", func(b *testing.B) { benchmarkStep(b, mnk.Gomoku(), net.Default()) })
	b.Run("15x15/auxiliary", func(b *testing.B) { benchmarkStep(b, mnk.Gomoku(), auxiliary) })
}

func benchmarkStep[S game.State[S]](b *testing.B, rules game.Game[S], network net.Config) {
	w := replay.NewWindow(rules, replay.Default(), nil)
	for number := range uint64(50) {
		noError(b, w.Add(replay.RandomRecord(rules, number, random.New(testSeed, random.Test, number))))
	}
	network.Blocks, network.Channels = 5, 64
	cfg := Default()
	l := NewLearner(cfg, net.NewWeights(network, net.ShapeOf(rules), testSeed), testSeed)
	defer l.Close()
	b.ReportAllocs()
	cpu := parallel.CPUTime()
	for b.Loop() {
		if _, err := l.Step(w, 1, false); err != nil {
			b.Fatal(err)
		}
	}
	whole := parallel.CPUTime() - cpu
	b.ReportMetric(whole.Seconds()*1000/float64(b.N), "cpu-ms/op") // steadier where other work shares the machine
	b.ReportMetric(float64(cfg.BatchSize*b.N)/b.Elapsed().Seconds(), "samples/s")
}

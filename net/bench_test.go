package net

import (
	"fmt"
	"testing"

	"tengen/internal/random"
)

// benchmarked are networks for Connect Four, 7x6.
var benchmarked = []struct{ blocks, channels int }{{2, 32}, {5, 64}}

func benchmarkWeights(blocks, channels int) *Weights {
	cfg := Default()
	cfg.Blocks, cfg.Channels = blocks, channels
	return NewWeights(cfg, Shape{6, 7, 7, 4}, 1)
}

func BenchmarkForward(b *testing.B) {
	for _, n := range benchmarked {
		for _, batch := range []int{1, 8, 32, 128} {
			b.Run(fmt.Sprintf("%dx%d/batch=%d", n.blocks, n.channels, batch), func(b *testing.B) {
				inf := NewInference(benchmarkWeights(n.blocks, n.channels), batch)
				fillInputs(inf, 1)
				b.ReportAllocs()
				for b.Loop() {
					inf.Forward(batch)
				}
				b.ReportMetric(float64(batch*b.N)/b.Elapsed().Seconds(), "evaluations/s")
			})
		}
	}
}

func BenchmarkTrainer(b *testing.B) {
	for _, n := range benchmarked {
		for _, batch := range []int{64, 256} {
			b.Run(fmt.Sprintf("%dx%d/batch=%d", n.blocks, n.channels, batch), func(b *testing.B) {
				trainer := NewTrainer(benchmarkWeights(n.blocks, n.channels), batch)
				fill(trainer.Batch(), random.New(1, random.Test))
				b.ReportAllocs()
				for b.Loop() {
					if _, err := trainer.Run(); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(float64(batch*b.N)/b.Elapsed().Seconds(), "samples/s")
			})
		}
	}
}

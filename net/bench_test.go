package net

import (
	"fmt"
	"testing"

	"tengen/internal/parallel"
	"tengen/internal/random"
)

// benchmarked are networks for Connect Four, 7x6.
var benchmarked = []struct{ blocks, channels int }{{2, 32}, {5, 64}}

func benchmarkWeights(blocks, channels int) *Weights {
	cfg := Default()
	cfg.Blocks, cfg.Channels = blocks, channels
	return NewWeights(cfg, Shape{6, 7, 7, 4, 0}, 1)
}

// gomokuWeights are of networks for gomoku, 15x15, of one size of board or of any.
func gomokuWeights(blocks, channels int, anySize bool) *Weights {
	cfg := Default()
	cfg.Blocks, cfg.Channels = blocks, channels
	if anySize {
		cfg.PooledBlocks = 2
		cfg.PolicyHead, cfg.PolicyChannels, cfg.ValueHead, cfg.ValueChannels = HeadConv, 32, HeadPooled, 32
	}
	return NewWeights(cfg, Shape{15, 15, 225, 4, 0}, 1)
}

// BenchmarkAnySize compares heads and pooled blocks for boards of any size with dense heads.
func BenchmarkAnySize(b *testing.B) {
	for _, n := range []struct{ blocks, channels int }{{4, 48}, {5, 64}} {
		for _, anySize := range []bool{false, true} {
			name := fmt.Sprintf("%dx%d/any size=%v", n.blocks, n.channels, anySize)
			w := gomokuWeights(n.blocks, n.channels, anySize)
			benchmarkForward(b, name+"/forward", w, 32)
			benchmarkTrainer(b, name+"/train", w, 32)
		}
	}
}

// BenchmarkMoves compares policy heads for Breakthrough, 8x8: a dense one with a conv one of three planes, and this with
// one for stones and a pass, as in Othello.
func BenchmarkMoves(b *testing.B) {
	for _, head := range []struct {
		name   string
		policy string
		shape  Shape
	}{
		{"dense", HeadDense, Shape{8, 8, 192, 4, 0}}, {"planes=3", HeadConv, Shape{8, 8, 192, 4, 0}}, {"pass", HeadConv, Shape{8, 8, 65, 4, 1}},
	} {
		cfg := Default()
		cfg.PolicyHead, cfg.PolicyChannels, cfg.ValueHead, cfg.ValueChannels = head.policy, 32, HeadPooled, 32
		w := NewWeights(cfg, head.shape, 1)
		benchmarkForward(b, head.name+"/forward", w, 32)
		benchmarkTrainer(b, head.name+"/train", w, 32)
	}
}

func BenchmarkForward(b *testing.B) {
	for _, n := range benchmarked {
		for _, batch := range []int{1, 8, 32, 128} {
			benchmarkForward(b, fmt.Sprintf("%dx%d/batch=%d", n.blocks, n.channels, batch), benchmarkWeights(n.blocks, n.channels), batch)
		}
	}
}

func BenchmarkTrainer(b *testing.B) {
	for _, n := range benchmarked {
		for _, batch := range []int{64, 256} {
			benchmarkTrainer(b, fmt.Sprintf("%dx%d/batch=%d", n.blocks, n.channels, batch), benchmarkWeights(n.blocks, n.channels), batch)
		}
	}
}

func benchmarkForward(b *testing.B, name string, w *Weights, batch int) {
	b.Run(name, func(b *testing.B) {
		inf := NewInference(w, batch)
		fillInputs(inf, 1)
		b.ReportAllocs()
		for b.Loop() {
			inf.Forward(batch)
		}
		b.ReportMetric(float64(batch*b.N)/b.Elapsed().Seconds(), "evaluations/s")
	})
}

// BenchmarkCores divides a batch among cores.
func BenchmarkCores(b *testing.B) {
	for _, cores := range []int{1, 2, 4} {
		benchmarkTrainerOn(b, fmt.Sprintf("5x64/cores=%d", cores), benchmarkWeights(5, 64), 128, cores)
	}
}

func benchmarkTrainer(b *testing.B, name string, w *Weights, batch int) {
	benchmarkTrainerOn(b, name, w, batch, 1)
}

func benchmarkTrainerOn(b *testing.B, name string, w *Weights, batch, cores int) {
	b.Run(name, func(b *testing.B) {
		pool := parallel.NewPool(cores)
		defer pool.Close()
		trainer := NewTrainer(w, batch, 2, pool)
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

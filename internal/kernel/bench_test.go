package kernel_test

import (
	"fmt"
	"testing"

	"tengen/internal/kernel"
)

// benchEachSet measures f on every instruction set. operations counts floating point operations by the formula, although
// Winograd's algorithm needs fewer for a convolution.
func benchEachSet(b *testing.B, name string, operations float64, f func()) {
	b.Helper()
	defer kernel.Use(kernel.Name())
	for _, set := range kernel.Names() {
		kernel.Use(set)
		b.Run(name+"/"+set, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				f()
			}
			if operations > 0 {
				b.ReportMetric(operations*float64(b.N)/b.Elapsed().Seconds()/1e9, "GFLOP/s")
			}
		})
	}
}

// BenchmarkPeak is what the others are compared with.
func BenchmarkPeak(b *testing.B) {
	defer kernel.Use(kernel.Name())
	for _, set := range kernel.Names() {
		kernel.Use(set)
		b.Run(set, func(b *testing.B) {
			operations := 0.0
			for b.Loop() {
				operations += kernel.Peak(1000)
			}
			b.ReportMetric(operations/b.Elapsed().Seconds()/1e9, "GFLOP/s")
		})
	}
}

func BenchmarkMultiply(b *testing.B) {
	rng := newRand(1)
	for _, m := range []int{24, 128} {
		const n, k = 64, 64
		x, y, z := randoms(rng, m*k), randoms(rng, k*n), make([]float32, m*n)
		benchEachSet(b, fmt.Sprintf("%dx%dx%d", m, n, k), 2*float64(m)*n*k, func() { kernel.Multiply(m, n, k, x, k, 1, y, n, z, n) })
	}
}

// benchConvs measures a part of a convolution from 64 to 64 channels at batch 32 on three boards.
func benchConvs(b *testing.B, part func(plan *kernel.Conv, x, y, weight, filter, workspace []float32) func()) {
	const channels, batch = 64, 32
	rng := newRand(1)
	for _, board := range [][2]int{{7, 6}, {8, 8}, {15, 15}} {
		plan := kernel.NewConv(board[0], board[1], channels, channels)
		cells := batch * board[0] * board[1]
		x, y := randoms(rng, cells*channels), randoms(rng, cells*channels)
		weight, filter := randoms(rng, 9*channels*channels), make([]float32, plan.FilterSize())
		f := part(plan, x, y, weight, filter, make([]float32, plan.Workspace()))
		benchEachSet(b, fmt.Sprintf("%dx%d", board[0], board[1]), float64(2*9*cells)*channels*channels, f)
	}
}

func BenchmarkForward(b *testing.B) {
	benchConvs(b, func(plan *kernel.Conv, x, y, weight, filter, workspace []float32) func() {
		plan.TransformFilter(filter, weight, workspace, 0, 1)
		bias := make([]float32, 64)
		return func() { plan.Forward(y, x, filter, bias, nil, true, workspace) }
	})
}

func BenchmarkWeightGradient(b *testing.B) {
	benchConvs(b, func(plan *kernel.Conv, x, y, weight, _, workspace []float32) func() {
		return func() { plan.WeightGradient(weight, nil, x, y, workspace, 0, 1) }
	})
}

func BenchmarkTransformFilter(b *testing.B) {
	const channels = 64
	plan := kernel.NewConv(8, 8, channels, channels)
	weight, filter := randoms(newRand(1), 9*channels*channels), make([]float32, plan.FilterSize())
	workspace := make([]float32, plan.Workspace())
	benchEachSet(b, "64x64", 0, func() { plan.TransformFilter(filter, weight, workspace, 0, 1) })
	benchEachSet(b, "flipped 64x64", 0, func() { plan.TransformFlipped(filter, weight, workspace, 0, 1) })
}

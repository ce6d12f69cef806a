// Package kernel implements the network's arithmetic in float32: matrix products, 3x3 convolutions and their gradients.
// Convolutions use Winograd's minimal filtering of 4x4 tiles (Lavin, Gray 2016, "Fast Algorithms for Convolutional
// Neural Networks").
//
// Images are stored channels last, [batch, height, width, channels]. After planning, nothing keeps state, allocates or
// starts goroutines.
//
// With AVX2 and FMA, AVX-512 or NEON, the inner loops are assembly from lab/gen-kernels. Elsewhere, and with the build
// tag noasm, they are plain Go, which defines the results. All add the terms of a sum in order, so a product's row and
// a batch's image have the same bits whatever their position and neighbours. AVX2, AVX-512 and NEON have the same bits.
// Plain Go rounds each product, and so differs from them in the last bits.
package kernel

import (
	"fmt"

	"tengen/internal/kernel/winograd"
)

// Lanes is the number of floats in the widest register. Columns of products are padded to a multiple of it.
const Lanes = 16

// Pad returns n rounded up to a multiple of Lanes.
func Pad(n int) int { return (n + Lanes - 1) / Lanes * Lanes }

// Name returns the instruction set in use: "avx512", "avx2", "neon" or "go".
func Name() string { return active.name }

// Names lists this processor's instruction sets, the fastest first.
func Names() []string {
	var names []string
	for _, v := range available {
		names = append(names, v.name)
	}
	return names
}

// Use selects an instruction set for the whole process. Do not call it while a kernel runs. It panics when the
// processor lacks the set.
func Use(name string) {
	for _, v := range available {
		if v.name == name {
			active = v
			return
		}
	}
	panic("kernel: no instruction set " + name + " here")
}

// need panics when s has fewer than n floats. Bound checks miss that in a part of a larger slice.
func need(name string, s []float32, n int) {
	if len(s) < n {
		panic(fmt.Sprintf("kernel: %d floats of %s; %d are needed", len(s), name, n))
	}
}

// vectors are an instruction set's inner loops.
type vectors struct {
	name       string
	lanes      int // in a register, a power of 2
	chunkBytes int // of Forward and InputGradient

	// gemm is gemmGo for n a multiple of Lanes.
	gemm func(m, n, k int, a []float32, rowA, colA int, b []float32, ldb int, c []float32, ldc int, bias []float32, mode mode)
	// These process n channels, as gatherGo, scatterGo, planesGo and reluGradientGo do. Assembly does so a register at a
	// time, so filter and filterGradient take whole ones; the others leave a rest to another set.
	gatherInput    func(dst []float32, plane int, src []float32, t *tile, n int)
	gatherGradient func(dst []float32, plane int, src []float32, t *tile, n int)
	scatterOutput  func(dst []float32, t *tile, src []float32, plane int, e epilogue, n int)
	filter         func(dst []float32, dstPlane int, src []float32, srcPlane, n int)
	filterGradient func(dst []float32, dstPlane int, src []float32, srcPlane, n int)
	reluGradient   func(dst, y, grad []float32, n int)
	peak           func(n int)
	prefetch       func(s []float32) // moves s to the second-level cache; nil if impossible
}

var plain = &vectors{
	name:       "go",
	lanes:      1,
	chunkBytes: chunkBytes,
	gatherInput: func(dst []float32, plane int, src []float32, t *tile, n int) {
		gatherGo(&winograd.Input, dst, plane, src, t, t.input, n)
	},
	gatherGradient: func(dst []float32, plane int, src []float32, t *tile, n int) {
		gatherGo(&winograd.Gradient, dst, plane, src, t, t.gradient, n)
	},
	scatterOutput: scatterGo,
	filter: func(dst []float32, dstPlane int, src []float32, srcPlane, n int) {
		planesGo(winograd.Filter, dst, dstPlane, src, srcPlane, n)
	},
	filterGradient: func(dst []float32, dstPlane int, src []float32, srcPlane, n int) {
		planesGo(winograd.FilterGradient, dst, dstPlane, src, srcPlane, n)
	},
	reluGradient: reluGradientGo,
}

var (
	available = detect()
	active    = available[0] // in use
)

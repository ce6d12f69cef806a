package net

import (
	"fmt"
	"slices"

	"tengen/internal/gpu"
	"tengen/internal/portable"
	"tengen/net/onnx"
)

// Losses compute on tensors of any shape. A scalar is a vector of one element.

func sum(x *node) *node {
	return apply(&operation{
		name:  "Sum",
		shape: []int{1},
		sum: func(in [][]float32, y, _ []float32, r imageRange, _, _ int) {
			sum := 0.0
			for _, x := range r.of(in[0]) {
				sum += float64(x)
			}
			y[0] = float32(sum)
		},
		work: float64(size(x.Shape())),
		diff: func(_ []*node, _, grad *node) []*node { return []*node{spread(grad, x.Shape())} },
	}, x)
}

func sumOfSquares(x *node) *node {
	return apply(&operation{
		name:  "SumOfSquares",
		shape: []int{1},
		sum: func(in [][]float32, y, _ []float32, r imageRange, _, _ int) {
			sum := 0.0
			for _, x := range r.of(in[0]) {
				sum += float64(float64(x) * float64(x))
			}
			y[0] = float32(sum)
		},
		work: float64(size(x.Shape())),
		diff: func(in []*node, _, grad *node) []*node {
			return []*node{scale(multiply(in[0], spread(grad, x.Shape())), 2)}
		},
	}, x)
}

func spread(x *node, shape []int) *node {
	return apply(&operation{
		name:  "Spread",
		shape: shape,
		run: func(in [][]float32, y []float32, r imageRange) {
			y = r.of(y)
			for i := range y {
				y[i] = in[0][0]
			}
		},
	}, x)
}

func scale(x *node, by float64) *node {
	factor := float32(by)
	return apply(&operation{
		name:  fmt.Sprintf("Scale by %v", factor),
		shape: x.Shape(),
		run: func(in [][]float32, y []float32, r imageRange) {
			y = r.of(y)
			for i, x := range r.of(in[0]) {
				y[i] = factor * x
			}
		},
		diff: func(_ []*node, _, grad *node) []*node { return []*node{scale(grad, by)} },
	}, x)
}

func add(x, y *node) *node {
	return elementwise("Add", x, y, addElements, func(_ []*node, _, grad *node) []*node { return []*node{grad, grad} })
}

func subtract(x, y *node) *node {
	return elementwise("Subtract", x, y, func(x, y, z []float32) {
		for i, y := range y {
			z[i] = x[i] - y
		}
	}, func(_ []*node, _, grad *node) []*node { return []*node{grad, scale(grad, -1)} })
}

func multiply(x, y *node) *node {
	return elementwise("Multiply", x, y, func(x, y, z []float32) {
		for i, y := range y {
			z[i] = x[i] * y
		}
	}, func(in []*node, _, grad *node) []*node { return []*node{multiply(grad, in[1]), multiply(grad, in[0])} })
}

func addElements(x, y, z []float32) {
	for i, y := range y {
		z[i] = x[i] + y
	}
}

// elements returns the run function of an operation that computes z from x and y, element by element.
func elements(compute func(x, y, z []float32)) func(in [][]float32, z []float32, r imageRange) {
	return func(in [][]float32, z []float32, r imageRange) { compute(r.of(in[0]), r.of(in[1]), r.of(z)) }
}

func elementwise(name string, x, y *node, compute func(x, y, z []float32), diff func(in []*node, z, grad *node) []*node) *node {
	if !slices.Equal(x.Shape(), y.Shape()) {
		panic(fmt.Sprintf("net: %s of %v and %v", name, x.Shape(), y.Shape()))
	}
	return apply(&operation{name: name, shape: x.Shape(), run: elements(compute), diff: diff}, x, y)
}

// concat returns rows [B, M+N] of x [B, M] followed by y [B, N].
func concat(x, y *node) *node {
	rows, m, n := x.Shape()[0], x.Shape()[1], y.Shape()[1]
	return apply(&operation{
		name:  "Concat",
		shape: []int{rows, m + n},
		run: func(in [][]float32, z []float32, r imageRange) {
			for i := r.first; i < r.last; i++ {
				copy(z[i*(m+n):], in[0][i*m:][:m])
				copy(z[i*(m+n)+m:], in[1][i*n:][:n])
			}
		},
		device: func(d deviceCall) {
			d.Copy(d.y, d.in(0), gpu.Columns{Rows: 1, Count: m, WidthTo: m + n, WidthFrom: m})
			d.Copy(d.y, d.in(1), gpu.Columns{Rows: 1, Count: n, WidthTo: m + n, FirstTo: m, WidthFrom: n})
		},
		diff: func(_ []*node, _, grad *node) []*node { return []*node{columns(grad, 0, m), columns(grad, m, n)} },
		onnx: func(g *onnx.Graph, in []*onnx.Tensor) *onnx.Tensor { return g.Concat(in[0], in[1]) },
	}, x, y)
}

// columns returns n columns of a matrix x.
func columns(x *node, first, n int) *node {
	rows, width := x.Shape()[0], x.Shape()[1]
	return apply(&operation{
		name:  fmt.Sprintf("Columns from %d", first),
		shape: []int{rows, n},
		run: func(in [][]float32, y []float32, r imageRange) {
			for i := r.first; i < r.last; i++ {
				copy(y[i*n:][:n], in[0][i*width+first:])
			}
		},
		device: func(d deviceCall) {
			d.Copy(d.y, d.in(0), gpu.Columns{Rows: 1, Count: n, WidthTo: n, WidthFrom: width, FirstFrom: first})
		},
	}, x)
}

// logSoftmax returns log(exp(x_ij) / sum_k exp(x_ik)) for a matrix x.
//
// Gorgonia's LogSoftMax subtracts a wrong maximum: it uses the matrix's first element instead of each row's.
// Rows then depend on each other, and a row whose only legal move is the first overflows.
func logSoftmax(x *node) *node {
	columns := x.Shape()[1]
	return apply(&operation{
		name:  "LogSoftmax",
		shape: x.Shape(),
		run:   func(in [][]float32, y []float32, r imageRange) { logSoftmaxRows(r.of(y), r.of(in[0]), columns) },
		diff: func(_ []*node, y, grad *node) []*node {
			return []*node{apply(&operation{
				name:  "LogSoftmaxGradient",
				shape: y.Shape(),
				run: func(in [][]float32, dx []float32, r imageRange) {
					logSoftmaxGradientRows(r.of(dx), r.of(in[0]), r.of(in[1]), columns)
				},
			}, y, grad)}
		},
	}, x)
}

func logSoftmaxRows(y, x []float32, columns int) {
	for start := 0; start < len(x); start += columns {
		x, y := x[start:start+columns], y[start:start+columns]
		largest := slices.Max(x)
		sum := 0.0
		for _, v := range x {
			sum += portable.Exp(float64(v - largest))
		}
		logSum := float32(portable.Log(sum))
		for j, v := range x {
			y[j] = v - largest - logSum
		}
	}
}

// logSoftmaxGradientRows sets dx_j = g_j - exp(y_j) sum_k g_k by row.
func logSoftmaxGradientRows(dx, y, g []float32, columns int) {
	for start := 0; start < len(y); start += columns {
		dx, y, g := dx[start:start+columns], y[start:start+columns], g[start:start+columns]
		sum := 0.0
		for _, v := range g {
			sum += float64(v)
		}
		for j := range dx {
			dx[j] = float32(float64(g[j]) - float64(portable.Exp(float64(y[j]))*sum))
		}
	}
}

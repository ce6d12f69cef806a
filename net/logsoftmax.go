package net

import (
	"math"
	"slices"

	"gorgonia.org/gorgonia"
)

// logSoftmax is log(exp(x_ij) / sum_k exp(x_ik)) of a matrix x.
//
// Gorgonia's own LogSoftMax is not used: it takes the maximum that it subtracts from a row over that row without its first
// element and the first element of the matrix. Rows then depend on each other, and a row whose only legal move is the
// first overflows.
func logSoftmax(x *gorgonia.Node) *gorgonia.Node {
	columns := x.Shape()[1]
	return apply(&operation{
		name:  "LogSoftmax",
		shape: x.Shape().Clone(),
		run:   func(in [][]float32, y []float32) { logSoftmaxRows(y, in[0], columns) },
		diff: func(_ gorgonia.Nodes, y, grad *gorgonia.Node) gorgonia.Nodes {
			return gorgonia.Nodes{apply(&operation{
				name:  "LogSoftmaxGradient",
				shape: y.Shape().Clone(),
				run:   func(in [][]float32, dx []float32) { logSoftmaxGradientRows(dx, in[0], in[1], columns) },
			}, y, grad)}
		},
	}, x)
}

// logSoftmaxRows sets each row of y to the logarithm of the softmax of that row of x.
func logSoftmaxRows(y, x []float32, columns int) {
	for start := 0; start < len(x); start += columns {
		x, y := x[start:start+columns], y[start:start+columns]
		most := slices.Max(x)
		sum := 0.0
		for _, v := range x {
			sum += math.Exp(float64(v - most))
		}
		logSum := float32(math.Log(sum))
		for j, v := range x {
			y[j] = v - most - logSum
		}
	}
}

// logSoftmaxGradientRows sets dx_j = g_j - exp(y_j) sum_k g_k, row by row.
func logSoftmaxGradientRows(dx, y, g []float32, columns int) {
	for start := 0; start < len(y); start += columns {
		dx, y, g := dx[start:start+columns], y[start:start+columns], g[start:start+columns]
		sum := 0.0
		for _, v := range g {
			sum += float64(v)
		}
		for j := range dx {
			dx[j] = float32(float64(g[j]) - math.Exp(float64(y[j]))*sum)
		}
	}
}

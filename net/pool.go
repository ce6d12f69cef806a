package net

import (
	"tengen/internal/kernel"
	"tengen/net/onnx"
)

// pooledFeatures is the number of pooled features for each channel.
const pooledFeatures = 2

// pool returns features [batch, 2*C] of images [B*H*W, C]: each channel's mean over the cells, then each channel's
// maximum (Wu 2019, section 3.3). KataGo's third feature, the mean times the board size, needs training on several
// sizes.
func (b *builder) pool(x *node) *node {
	m, channels := x.Shape()[0], x.Shape()[1]
	cells := m / b.batch
	return apply(&operation{
		name:  "Pool",
		shape: []int{b.batch, pooledFeatures * channels},
		run: func(v [][]float32, y []float32, r imageRange) {
			for i := r.first; i < r.last; i++ {
				row := y[i*pooledFeatures*channels:][:pooledFeatures*channels]
				poolImage(row[:channels], row[channels:], v[0][i*cells*channels:][:cells*channels])
			}
		},
		device: func(d deviceCall) { d.Pool(d.y, d.in(0), channels) },
		diff:   func(inputs []*node, y, grad *node) []*node { return []*node{b.poolGradient(inputs[0], y, grad)} },
		onnx:   func(g *onnx.Graph, in []*onnx.Tensor) *onnx.Tensor { return g.Pool(in[0]) },
	}, x)
}

// poolImage sets mean and most [C] to each channel's mean and maximum in x [cells, C]. Only the maximum ignores NaN.
func poolImage(mean, most, x []float32) {
	channels := len(mean)
	cells := len(x) / channels
	kernel.SumRows(cells, channels, x, mean)
	for c := range mean {
		mean[c] /= float32(cells)
	}
	copy(most, x)
	for row := x[channels:]; len(row) > 0; row = row[channels:] {
		for c, v := range row[:len(most)] {
			if v > most[c] {
				most[c] = v
			}
		}
	}
}

// poolGradient returns the gradient with respect to x, given features y. A maximum's gradient goes to its first cell.
func (b *builder) poolGradient(x, y, grad *node) *node {
	m, channels := x.Shape()[0], x.Shape()[1]
	size := m / b.batch * channels
	return apply(&operation{
		name:  "PoolGradient",
		shape: x.Shape(),
		run: func(v [][]float32, dx []float32, r imageRange) {
			for i := r.first; i < r.last; i++ {
				features, g := v[1][i*pooledFeatures*channels:], v[2][i*pooledFeatures*channels:]
				poolImageGradient(dx[i*size:][:size], v[0][i*size:][:size], features[channels:][:channels], g[:channels], g[channels:][:channels])
			}
		},
		device: func(d deviceCall) { d.PoolGradient(d.y, d.in(0), d.in(1), d.in(2), channels) },
	}, x, y, grad)
}

// poolImageGradient sets dx [cells, C] from x, its maxima and the gradients of means and maxima [C].
func poolImageGradient(dx, x, most, dmean, dmost []float32) {
	channels := len(most)
	perCell := 1 / float32(len(x)/channels)
	for c, g := range dmean {
		dx[c] = g * perCell
	}
	for at := channels; at < len(dx); at += channels {
		copy(dx[at:], dx[:channels])
	}
	for c, highest := range most {
		for at := c; at < len(x); at += channels {
			if x[at] == highest {
				dx[at] += dmost[c]
				break
			}
		}
	}
}

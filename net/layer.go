package net

import (
	"fmt"
	"math"

	"gorgonia.org/gorgonia"
	"gorgonia.org/tensor"

	"tengen/internal/kernel"
)

// This file and convolution.go alone know how a layer is computed. A batch of images is a matrix [B*H*W, C], channels
// last; a batch of features is one of [B, N]. A weight has the output channels first, as in architecture.go.

// builder makes the layers of one graph. What they share is safe to share because the nodes of a graph run one after
// another.
type builder struct {
	height, width int
	// images is how many images of the batch are computed, from the first; the results of the others are stale.
	images int
	// version counts the changes of the weights. Layers keep what they derive from them until it moves on.
	version *uint64
	// workspace is scratch memory, as large as the layer that needs most of it.
	workspace []float32
}

// scratch makes sure that the workspace has n floats when the graph runs.
func (b *builder) scratch(n int) {
	if n > len(b.workspace) {
		b.workspace = make([]float32, n)
	}
}

// onChange returns a function that calls prepare when the weights have changed since its last call.
func (b *builder) onChange(prepare func(weight, bias []float32)) func(weight, bias []float32) {
	prepared := ^uint64(0)
	return func(weight, bias []float32) {
		if prepared != *b.version {
			prepare(weight, bias)
			prepared = *b.version
		}
	}
}

// stem is ReLU(conv(planes) + bias), [B, planes, H, W] to [B*H*W, out], with a 3x3 convolution and a padding of 1. The
// planes are few and stored one after the other, so the convolution is a dense layer on the neighbourhoods of the cells.
func (b *builder) stem(planes, weight, bias *gorgonia.Node) *gorgonia.Node {
	rows, depth := planes.Shape()[0]*b.height*b.width, planes.Shape()[1]
	patches := apply(&operation{
		name:  fmt.Sprintf("Patches %dx%d", b.height, b.width),
		shape: tensor.Shape{rows, depth * 9},
		run: func(v [][]float32, patches []float32) {
			values := b.images * b.height * b.width * depth
			kernel.Patches(patches[:9*values], v[0][:values], depth, b.height, b.width)
		},
	}, planes)
	return b.affine(patches, weight, bias, rectifier, false)
}

// activation is what follows a dense layer's sum.
type activation string

const (
	linear    activation = "linear"
	rectifier activation = "ReLU" // max(x, 0)
	tanh      activation = "tanh" // the hyperbolic tangent
)

// dense is x weight^T + bias, [M, in] to [M, out], and what follows. A 1x1 convolution is one over the cells.
func (b *builder) dense(x, weight, bias *gorgonia.Node, then activation) *gorgonia.Node {
	return b.affine(x, weight, bias, then, true)
}

// affine is dense, with the gradient with respect to x only if that is wanted.
func (b *builder) affine(x, weight, bias *gorgonia.Node, then activation, wanted bool) *gorgonia.Node {
	m, in, out := x.Shape()[0], x.Shape()[1], weight.Shape()[0]
	perImage := m / b.images
	filter, padded := make([]float32, in*kernel.Pad(out)), make([]float32, kernel.Pad(out))
	b.scratch(kernel.DenseScratch(m, out))
	prepare := b.onChange(func(weight, bias []float32) { kernel.PackDense(in, out, weight, bias, filter, padded) })
	return apply(&operation{
		name:     "Dense " + string(then),
		shape:    tensor.Shape{m, out},
		constant: map[int]bool{0: !wanted},
		run: func(v [][]float32, y []float32) {
			prepare(v[1], v[2])
			kernel.Dense(b.images*perImage, in, out, v[0], filter, padded, y, then == rectifier, b.workspace)
			if then == tanh {
				for i, x := range y[:b.images*perImage*out] {
					y[i] = float32(math.Tanh(float64(x)))
				}
			}
		},
		diff: func(inputs gorgonia.Nodes, y, grad *gorgonia.Node) gorgonia.Nodes {
			x, weight := inputs[0], inputs[1]
			switch then {
			case rectifier:
				grad = b.reluGradient(y, grad)
			case tanh:
				grad = b.tanhGradient(y, grad)
			}
			gradients := gorgonia.Nodes{nil, b.denseWeightGradient(x, grad, weight.Shape()), b.biasGradient(grad)}
			if wanted {
				gradients[0] = b.denseInputGradient(weight, grad, in)
			}
			return gradients
		},
	}, x, weight, bias)
}

// denseInputGradient is grad weight, [M, in].
func (b *builder) denseInputGradient(weight, grad *gorgonia.Node, in int) *gorgonia.Node {
	m, out := grad.Shape()[0], grad.Shape()[1]
	return apply(&operation{
		name:  "DenseInputGradient",
		shape: tensor.Shape{m, in},
		run: func(v [][]float32, dx []float32) {
			kernel.Multiply(m, in, out, v[1], out, 1, v[0], in, dx, in)
		},
	}, weight, grad)
}

// denseWeightGradient is grad^T x, in the shape of the weight.
func (b *builder) denseWeightGradient(x, grad *gorgonia.Node, shape tensor.Shape) *gorgonia.Node {
	m, in, out := x.Shape()[0], x.Shape()[1], grad.Shape()[1]
	return apply(&operation{
		name:  "DenseWeightGradient",
		shape: shape.Clone(),
		run: func(v [][]float32, dw []float32) {
			kernel.Multiply(out, in, m, v[1], 1, out, v[0], in, dw, in)
		},
	}, x, grad)
}

// biasGradient is the sum of the rows of grad.
func (b *builder) biasGradient(grad *gorgonia.Node) *gorgonia.Node {
	m, out := grad.Shape()[0], grad.Shape()[1]
	return apply(&operation{
		name:  "BiasGradient",
		shape: tensor.Shape{out},
		run:   func(v [][]float32, db []float32) { kernel.SumRows(m, out, v[0], db) },
	}, grad)
}

// reluGradient is grad where y, the result of a rectifier, is above 0, else 0.
func (b *builder) reluGradient(y, grad *gorgonia.Node) *gorgonia.Node {
	return apply(&operation{
		name:  "ReLUGradient",
		shape: y.Shape().Clone(),
		run:   func(v [][]float32, d []float32) { kernel.ReLUGradient(d, v[0], v[1]) },
	}, y, grad)
}

// tanhGradient is grad times 1 - y^2, where y is the result of a tanh.
func (b *builder) tanhGradient(y, grad *gorgonia.Node) *gorgonia.Node {
	return apply(&operation{
		name:  "TanhGradient",
		shape: y.Shape().Clone(),
		run: func(v [][]float32, d []float32) {
			for i, y := range v[0] {
				d[i] = (1 - y*y) * v[1][i]
			}
		},
	}, y, grad)
}

// reshape gives x another shape of the same size.
func reshape(x *gorgonia.Node, shape ...int) *gorgonia.Node {
	return gorgonia.Must(gorgonia.Reshape(x, shape))
}

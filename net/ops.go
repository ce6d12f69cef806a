package net

import (
	"fmt"

	"gorgonia.org/tensor"

	"tengen/internal/kernel"
	"tengen/internal/portable"
	"tengen/net/onnx"
)

// Images are [B*H*W, C], channels last; features are [B, N]. Weights have the output channels first, see layer.

// builder makes the layers of one graph, whose nodes run one after another and share its memory.
type builder struct {
	height, width int
	set           kernel.Set
	// images is the number of images to compute, from the first. Other results are stale.
	images int
	// version counts weight changes, for what layers derive from the weights.
	version uint64
	// workspace is scratch memory for the largest layer.
	workspace []float32
	// masked maps a gradient with respect to a rectifier's output to the output, if the gradient is already 0 where the
	// output is not above 0.
	masked map[*node]*node
}

func (b *builder) scratch(n int) {
	if n > len(b.workspace) {
		b.workspace = make([]float32, n)
	}
}

// onChange returns prepare, called only after the weights have changed.
func (b *builder) onChange(prepare func(weight, bias []float32)) func(weight, bias []float32) {
	prepared := ^uint64(0)
	return func(weight, bias []float32) {
		if prepared != b.version {
			prepare(weight, bias)
			prepared = b.version
		}
	}
}

// patches returns all 3x3 neighbourhoods, [B, planes, H, W] to [B*H*W, planes*9], with a padding of 1.
func (b *builder) patches(planes *node) *node {
	rows, depth := planes.Shape()[0]*b.height*b.width, planes.Shape()[1]
	return apply(&operation{
		name:  fmt.Sprintf("Patches %dx%d", b.height, b.width),
		shape: tensor.Shape{rows, depth * 9},
		run: func(v [][]float32, patches []float32) {
			values := b.images * b.height * b.width * depth
			kernel.Patches(patches[:9*values], v[0][:values], depth, b.height, b.width)
		},
		onnx: func(_ *onnx.Graph, in []*onnx.Tensor) *onnx.Tensor { return in[0] }, // convolved directly
	}, planes)
}

type activation string

const (
	linear    activation = "Linear"
	rectifier activation = "Relu" // max(x, 0)
	tanh      activation = "Tanh"
)

// dense returns a dense layer, [M, in] to [M, out].
func (b *builder) dense(x *node, l *layer, then activation) *node {
	return b.affine(x, l.weight, l.bias, then, true)
}

// rows returns each image of x [B*H*W, C] as a row [H*W*C].
func (b *builder) rows(x *node) *node {
	return reshape(x, b.images, x.Shape().TotalSize()/b.images)
}

// affine returns the activation of x weight^T + bias, [M, in] to [M, out]. bias is [out], [batch, out] by image, or
// nil. Only planes need no inputGradient.
func (b *builder) affine(x, weight, bias *node, then activation, inputGradient bool) *node {
	m, in, out := x.Shape()[0], x.Shape()[1], weight.Shape()[0]
	perImage := m / b.images
	filter, padded := make([]float32, in*kernel.Pad(out)), make([]float32, kernel.Pad(out))
	b.scratch(kernel.DenseScratch(m, out))
	prepare := b.onChange(func(weight, bias []float32) { kernel.PackDense(in, out, weight, bias, filter, padded) })
	inputs, zeros, each := []*node{x, weight}, make([]float32, out), eachImage(bias)
	if bias != nil {
		inputs = append(inputs, bias)
	}
	return apply(&operation{
		name:     "Dense " + string(then),
		shape:    tensor.Shape{m, out},
		constant: map[int]bool{0: !inputGradient},
		run: func(v [][]float32, y []float32) {
			if bias == nil || each {
				prepare(v[1], zeros)
			} else {
				prepare(v[1], v[2])
			}
			if each {
				for i := range b.images {
					copy(padded, v[2][i*out:(i+1)*out])
					b.set.Dense(perImage, in, out, v[0][i*perImage*in:], filter, padded, y[i*perImage*out:], then == rectifier, b.workspace)
				}
			} else {
				b.set.Dense(b.images*perImage, in, out, v[0], filter, padded, y, then == rectifier, b.workspace)
			}
			if then == tanh {
				for i, x := range y[:b.images*perImage*out] {
					y[i] = float32(portable.Tanh(float64(x)))
				}
			}
		},
		diff: func(inputs []*node, y, grad *node) []*node {
			x, weight := inputs[0], inputs[1]
			switch then {
			case rectifier:
				grad = b.reluGradient(y, grad)
			case tanh:
				grad = b.tanhGradient(y, grad)
			}
			gradients := []*node{nil, b.denseWeightGradient(x, grad, weight.Shape())}
			if inputGradient {
				gradients[0] = b.denseInputGradient(weight, grad, in)
			}
			if bias != nil {
				gradients = append(gradients, b.biasGradient(grad, each))
			}
			return gradients
		},
		onnx: func(g *onnx.Graph, in []*onnx.Tensor) *onnx.Tensor {
			y := g.Layer(in[0], in[1], in[2:]...)
			if then != linear {
				y = g.Apply(string(then), y)
			}
			return y
		},
	}, inputs...)
}

func eachImage(bias *node) bool { return bias != nil && bias.Shape().Dims() == 2 }

// denseInputGradient returns grad weight, [M, in].
func (b *builder) denseInputGradient(weight, grad *node, in int) *node {
	m, out := grad.Shape()[0], grad.Shape()[1]
	return apply(&operation{
		name:  "DenseInputGradient",
		shape: tensor.Shape{m, in},
		run: func(v [][]float32, dx []float32) {
			kernel.Multiply(m, in, out, v[1], out, 1, v[0], in, dx, in)
		},
	}, weight, grad)
}

// denseWeightGradient returns grad^T x, in the shape of the weight.
func (b *builder) denseWeightGradient(x, grad *node, shape tensor.Shape) *node {
	m, in, out := x.Shape()[0], x.Shape()[1], grad.Shape()[1]
	return apply(&operation{
		name:  "DenseWeightGradient",
		shape: shape.Clone(),
		run: func(v [][]float32, dw []float32) {
			kernel.Multiply(out, in, m, v[1], 1, out, v[0], in, dw, in)
		},
	}, x, grad)
}

// biasGradient returns the sum of grad's rows, by image if each.
func (b *builder) biasGradient(grad *node, each bool) *node {
	m, out := grad.Shape()[0], grad.Shape()[1]
	biases, shape := 1, tensor.Shape{out}
	if each {
		biases, shape = b.images, tensor.Shape{b.images, out}
	}
	rows := m / biases
	return apply(&operation{
		name:  "BiasGradient",
		shape: shape,
		run: func(v [][]float32, db []float32) {
			for i := range biases {
				b.set.SumRows(rows, out, v[0][i*rows*out:], db[i*out:(i+1)*out])
			}
		},
	}, grad)
}

// reluGradient returns grad where y, a rectifier's result, is above 0, else 0.
func (b *builder) reluGradient(y, grad *node) *node {
	if b.masked[grad] == y {
		return grad
	}
	return apply(&operation{
		name:  "ReLUGradient",
		shape: y.Shape().Clone(),
		run:   func(v [][]float32, d []float32) { kernel.ReLUGradient(d, v[0], v[1]) },
	}, y, grad)
}

func (b *builder) tanhGradient(y, grad *node) *node {
	return apply(&operation{
		name:  "TanhGradient",
		shape: y.Shape().Clone(),
		run: func(v [][]float32, d []float32) {
			for i, y := range v[0] {
				d[i] = (1 - float32(y*y)) * v[1][i]
			}
		},
	}, y, grad)
}

// conv3x3 returns ReLU(conv(x) + bias) with a padding of 1, [B*H*W, in] to [B*H*W, out]. Planes [B, planes, H, W] are
// few and stored channels first: they take a dense layer on patches.
func (b *builder) conv3x3(x *node, l *layer) *node {
	if x.Dims() == 4 {
		return b.affine(b.patches(x), l.weight, l.bias, rectifier, false)
	}
	return b.convolution(x, l.weight, l.bias, nil, nil, nil)
}

// shortcut carries a gradient around a block's convolutions. The second convolution is differentiated first; the first
// adds the shortcut's gradient to its own. Gorgonia's addition would take another pass over all images.
type shortcut struct{ gradient *node }

// convolution returns ReLU(conv(x) + bias + residual), where x is a ReLU's result. bias is [out], or [batch, out] by
// image; residual may be nil. If away is not nil, it takes the gradient with respect to the residual or, without one,
// to x from Gorgonia. Another convolution of x, with the same shortcut as around, adds it to its own.
func (b *builder) convolution(x, weight, bias, residual *node, away, around *shortcut) *node {
	m, in, out := x.Shape()[0], x.Shape()[1], weight.Shape()[0]
	plan := b.set.NewConv(b.height, b.width, in, out)
	filter := make([]float32, plan.FilterSize())
	b.scratch(plan.Workspace())
	prepare := b.onChange(func(weight, _ []float32) { plan.TransformFilter(filter, weight, b.workspace) })
	inputs, each := []*node{x, weight, bias}, eachImage(bias)
	if residual != nil {
		inputs = append(inputs, residual)
	}
	return apply(&operation{
		name:     b.convName("Convolution"),
		shape:    tensor.Shape{m, out},
		constant: map[int]bool{0: residual == nil && away != nil, 3: true}, // see shortcut
		run: func(v [][]float32, y []float32) {
			prepare(v[1], v[2])
			biases := out
			if each {
				biases *= b.images
			}
			var other []float32
			if residual != nil {
				other = v[3]
			}
			cells := b.images * b.height * b.width
			plan.Forward(y[:cells*out], v[0][:cells*in], filter, v[2][:biases], other, true, b.workspace)
		},
		diff: func(inputs []*node, y, grad *node) []*node {
			grad = b.reluGradient(y, grad)
			var added *node
			if around != nil {
				added = around.gradient
			}
			dx := b.convInputGradient(inputs[0], inputs[1], grad, added)
			switch {
			case away != nil && residual != nil:
				away.gradient = grad
			case away != nil:
				away.gradient, dx = dx, nil
			}
			dweight, sums := b.convWeightGradient(plan, inputs[0], grad, inputs[1].Shape())
			var dbias *node
			if each {
				dbias = b.biasGradient(grad, true)
			} else {
				dbias = b.convBiasGradient(dweight, sums)
			}
			return []*node{dx, dweight, dbias, nil}[:len(inputs)]
		},
		onnx: func(g *onnx.Graph, in []*onnx.Tensor) *onnx.Tensor {
			y := g.Layer(in[0], in[1], in[2])
			if residual != nil {
				y = g.Combine("Add", in[3], y)
			}
			return g.Apply(string(rectifier), y)
		},
	}, inputs...)
}

// convInputGradient returns the convolution of grad with the flipped weight, [B*H*W, in], plus added unless nil. It is
// 0 where x, a ReLU's result, is not above 0.
func (b *builder) convInputGradient(x, weight, grad, added *node) *node {
	m, in, out := grad.Shape()[0], weight.Shape()[1], weight.Shape()[0]
	plan := b.set.NewConv(b.height, b.width, out, in)
	filter := make([]float32, plan.FilterSize())
	b.scratch(plan.Workspace())
	prepare := b.onChange(func(weight, _ []float32) { plan.TransformFlipped(filter, weight, b.workspace) })
	inputs := []*node{weight, grad, x}
	if added != nil {
		inputs = append(inputs, added)
	}
	dx := apply(&operation{
		name:  b.convName("ConvolutionInputGradient"),
		shape: tensor.Shape{m, in},
		run: func(v [][]float32, dx []float32) {
			prepare(v[0], nil)
			var residual []float32
			if added != nil {
				residual = v[3]
			}
			plan.InputGradient(dx, v[1], filter, residual, v[2], b.workspace)
		},
	}, inputs...)
	b.masked[dx] = x
	return dx
}

// convWeightGradient returns the weight's gradient, and the memory in which a run leaves the bias's [out].
func (b *builder) convWeightGradient(plan *kernel.Conv, x, grad *node, shape tensor.Shape) (dweight *node, sums []float32) {
	sums = make([]float32, shape[0])
	return apply(&operation{
		name:  b.convName("ConvolutionWeightGradient"),
		shape: shape.Clone(),
		run: func(v [][]float32, dw []float32) {
			plan.WeightGradient(dw, sums, v[0], v[1], b.workspace)
		},
	}, x, grad), sums
}

func (b *builder) convBiasGradient(dweight *node, sums []float32) *node {
	return apply(&operation{
		name:  b.convName("ConvolutionBiasGradient"),
		shape: tensor.Shape{len(sums)},
		run:   func(_ [][]float32, db []float32) { copy(db, sums) },
	}, dweight)
}

func (b *builder) convName(kind string) string {
	return fmt.Sprintf("%s %dx%d", kind, b.height, b.width)
}

package net

import (
	"fmt"

	"gorgonia.org/tensor"

	"tengen/internal/kernel"
	"tengen/internal/parallel"
	"tengen/net/onnx"
)

// Images are [B*H*W, C], channels last; features are [B, N]. Weights have the output channels first, see layer.

// builder makes the layers of one graph, whose nodes run one after another and share its memory.
type builder struct {
	height, width int
	set           kernel.Set
	// images is the number of images to compute. The results for later images are stale.
	images int
	// derived lists the values that layers compute from the weights, in order of construction.
	derived []*derived
	// lent means that other graphs use the memory of derived.
	lent bool
	// heads computes the heads' convolutions together.
	heads joint
	// workspaces are scratch memory for the largest layer, one for each core in use.
	workspaces [][]float32
	// masked maps a gradient with respect to a rectifier's output to the output, if the gradient is already 0 where the
	// output is not above 0.
	masked map[*node]*node
}

func (b *builder) scratch(n int) {
	for i, w := range b.workspaces {
		if n > len(w) {
			b.workspaces[i] = make([]float32, n)
		}
	}
}

// divide lets operations use several cores, at most one for each image.
func (b *builder) divide(cores int) {
	for len(b.workspaces) < min(cores, b.images) {
		b.workspaces = append(b.workspaces, make([]float32, len(b.workspaces[0])))
	}
}

// imageRange is the images first to last-1, which one core computes, and its scratch memory.
type imageRange struct {
	first, last int
	scratch     []float32
}

// of returns the range's part of memory, which holds n floats for each image.
func (r imageRange) of(memory []float32, n int) []float32 { return memory[r.first*n : r.last*n] }

// byImage returns an operation's run function, which divides the images among the cores and calls compute on each.
func (b *builder) byImage(compute func(in [][]float32, result []float32, r imageRange)) func(in [][]float32, result []float32) {
	return func(in [][]float32, result []float32) {
		cores := len(b.workspaces)
		if cores == 1 { // allocates nothing
			compute(in, result, imageRange{0, b.images, b.workspaces[0]})
			return
		}
		parallel.For(cores, func(i int) {
			compute(in, result, imageRange{b.images * i / cores, b.images * (i + 1) / cores, b.workspaces[i]})
		})
	}
}

// derived is a layer's form of its weights, such as a transformed filter.
type derived struct {
	memory []float32
	fill   func(memory []float32)
}

// derive registers n floats that fill computes from the weights.
func (b *builder) derive(n int, fill func(memory []float32)) *derived {
	d := &derived{make([]float32, n), fill}
	b.derived = append(b.derived, d)
	return d
}

// update computes derived from changed weights. It does not write to memory that other graphs use.
func (b *builder) update() {
	if b.lent {
		for _, d := range b.derived {
			d.memory = make([]float32, len(d.memory))
		}
		b.lent = false
	}
	b.updatePart(0, 1)
}

// updatePart computes every parts-th of derived from changed weights, beginning with number part.
func (b *builder) updatePart(part, parts int) {
	for i := part; i < len(b.derived); i += parts {
		b.derived[i].fill(b.derived[i].memory)
	}
}

// borrow replaces update: the graph shares the derived memory of from, a graph of the same network and weights.
func (b *builder) borrow(from *builder) {
	if b.set != from.set {
		panic("net: weights from a network on another instruction set")
	}
	for i, d := range from.derived {
		b.derived[i].memory = d.memory
	}
	b.lent, from.lent = true, true
}

// patches returns each cell's 3x3 neighbourhood, [B, planes, H, W] to [B*H*W, planes*9], with a padding of 1.
func (b *builder) patches(planes *node) *node {
	rows, depth := planes.Shape()[0]*b.height*b.width, planes.Shape()[1]
	return apply(&operation{
		name:  fmt.Sprintf("Patches %dx%d", b.height, b.width),
		shape: tensor.Shape{rows, depth * 9},
		run: b.byImage(func(v [][]float32, patches []float32, r imageRange) {
			values := b.height * b.width * depth
			kernel.Patches(r.of(patches, 9*values), r.of(v[0], values), depth, b.height, b.width)
		}),
		onnx: func(_ *onnx.Graph, in []*onnx.Tensor) *onnx.Tensor { return in[0] }, // convolved directly
	}, planes)
}

// biasGradient returns the sum of grad's rows, or a sum for each image if each is true.
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
// image; residual may be nil. If away is not nil, the gradient of the residual, or of x without a residual, goes to
// away instead of to Gorgonia. The convolution of x that has the same shortcut as around adds it to its own gradient.
func (b *builder) convolution(x, weight, bias, residual *node, away, around *shortcut) *node {
	m, in, out, cells := x.Shape()[0], x.Shape()[1], weight.Shape()[0], b.height*b.width
	plan := b.set.NewConv(b.height, b.width, in, out)
	b.scratch(plan.Workspace())
	filter := b.derive(plan.FilterSize(), func(filter []float32) { plan.TransformFilter(filter, memory(weight), b.workspaces...) })
	inputs, each := []*node{x, weight, bias}, eachImage(bias)
	if residual != nil {
		inputs = append(inputs, residual)
	}
	return apply(&operation{
		name:     b.convName("Convolution"),
		shape:    tensor.Shape{m, out},
		constant: map[int]bool{0: residual == nil && away != nil, 3: true}, // see shortcut
		run: b.byImage(func(v [][]float32, y []float32, r imageRange) {
			bias := v[2]
			if each {
				bias = r.of(bias, out)
			}
			var other []float32
			if residual != nil {
				other = r.of(v[3], cells*out)
			}
			plan.Forward(r.of(y, cells*out), r.of(v[0], cells*in), filter.memory, bias, other, true, r.scratch)
		}),
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
	m, in, out, cells := grad.Shape()[0], weight.Shape()[1], weight.Shape()[0], b.height*b.width
	plan := b.set.NewConv(b.height, b.width, out, in)
	b.scratch(plan.Workspace())
	filter := b.derive(plan.FilterSize(), func(filter []float32) { plan.TransformFlipped(filter, memory(weight), b.workspaces...) })
	inputs := []*node{weight, grad, x}
	if added != nil {
		inputs = append(inputs, added)
	}
	dx := apply(&operation{
		name:  b.convName("ConvolutionInputGradient"),
		shape: tensor.Shape{m, in},
		run: b.byImage(func(v [][]float32, dx []float32, r imageRange) {
			var residual []float32
			if added != nil {
				residual = r.of(v[3], cells*in)
			}
			plan.InputGradient(r.of(dx, cells*in), r.of(v[1], cells*out), filter.memory, residual, r.of(v[2], cells*in), r.scratch)
		}),
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
			plan.WeightGradient(dw, sums, v[0], v[1], b.workspaces...)
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

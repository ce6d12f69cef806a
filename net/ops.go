package net

import (
	"fmt"

	"tengen/internal/gpu"
	"tengen/internal/kernel"
	"tengen/net/onnx"
)

// Images are [B*H*W, C], channels last; features are [B, N]. Weights have the output channels first: [out, in, k, k]
// or [out, in].

// builder makes the layers of one graph, whose nodes run one after another and share its memory.
type builder struct {
	height, width int
	batch         int
	// packed lists the layers' packed weights, in order of construction.
	packed []*packedWeights
	// shared means that other graphs use the memory of packed.
	shared bool
	// joinedHeads has the results of all heads' convolutions, see joinHeads, and headColumns the first column of each.
	joinedHeads *node
	headColumns map[*layer]int
	// workspace is the scratch memory in floats that the largest layer needs.
	workspace int
	// masked maps a gradient with respect to a rectifier's output to the output, if the gradient is already 0 where the
	// output is not above 0.
	masked map[*node]*node
}

func (b *builder) scratch(n int) { b.workspace = max(b.workspace, n) }

// whole returns the batch, with scratch memory.
func (b *builder) whole() imageRange {
	return imageRange{0, b.batch, b.batch, make([]float32, b.workspace)}
}

// images returns range number i of n about equal ranges of the batch, without scratch memory.
func (b *builder) images(i, n int) imageRange {
	return imageRange{first: b.batch * i / n, last: b.batch * (i + 1) / n, batch: b.batch}
}

// packedWeights are weights in the form that a layer computes with, such as a transformed filter.
type packedWeights struct {
	memory      []float32
	fill        func(memory, scratch []float32, portion, portions int) // a portion of it; portions may be computed at once
	maxPortions int                                                    // into which fill can be divided; 0 means 1
}

// pack registers n floats that fill computes from the weights.
func (b *builder) pack(n, maxPortions int, fill func(memory, scratch []float32, portion, portions int)) *packedWeights {
	w := &packedWeights{make([]float32, n), fill, maxPortions}
	b.packed = append(b.packed, w)
	return w
}

// update computes packed from changed weights. It does not write to memory that other graphs use.
func (b *builder) update(scratch []float32) {
	if b.shared {
		for _, w := range b.packed {
			w.memory = make([]float32, len(w.memory))
		}
		b.shared = false
	}
	for _, w := range b.packed {
		w.fill(w.memory, scratch, 0, 1)
	}
}

// shareFrom replaces update: the graph uses the packed weights of from, a graph of the same network and weights.
func (b *builder) shareFrom(from *builder) {
	for i, w := range from.packed {
		b.packed[i].memory = w.memory
	}
	b.shared, from.shared = true, true
}

// patches returns each cell's 3x3 neighbourhood, [B, planes, H, W] to [B*H*W, planes*9], with a padding of 1.
func (b *builder) patches(planes *node) *node {
	rows, depth := planes.Shape()[0]*b.height*b.width, planes.Shape()[1]
	return apply(&operation{
		name:  fmt.Sprintf("Patches %dx%d", b.height, b.width),
		shape: []int{rows, depth * 9},
		run: func(v [][]float32, patches []float32, r imageRange) {
			kernel.Patches(r.of(patches), r.of(v[0]), depth, b.height, b.width)
		},
		device: func(d deviceCall) { d.Patches(d.y, depth) },
		onnx:   func(_ *onnx.Graph, in []*onnx.Tensor) *onnx.Tensor { return in[0] }, // convolved directly
	}, planes)
}

// biasGradient returns the sum of grad's rows, or a sum for each image if each is true.
func (b *builder) biasGradient(grad *node, each bool) *node {
	rows, out := grad.Shape()[0]/b.batch, grad.Shape()[1]
	op := &operation{name: "BiasGradient", shape: []int{out}}
	if each {
		op.shape = []int{b.batch, out}
		op.run = func(v [][]float32, db []float32, r imageRange) {
			for i := r.first; i < r.last; i++ {
				kernel.SumRows(rows, out, v[0][i*rows*out:], db[i*out:(i+1)*out])
			}
		}
		op.device = func(d deviceCall) { d.ImageBiasGradient(d.y, d.in(0), rows, out) }
	} else {
		op.work = float64(b.batch * rows * out)
		op.sum = func(v [][]float32, db, _ []float32, r imageRange, _, _ int) {
			kernel.SumRows((r.last-r.first)*rows, out, r.of(v[0]), db)
		}
		op.device = func(d deviceCall) { d.BiasGradient(d.y, d.in(0), rows, out) }
	}
	return apply(op, grad)
}

// reluGradient returns grad where y, a rectifier's result, is above 0, else 0.
func (b *builder) reluGradient(y, grad *node) *node {
	if b.masked[grad] == y {
		return grad
	}
	return apply(&operation{
		name:   "ReLUGradient",
		shape:  y.Shape(),
		run:    elements(func(y, grad, d []float32) { kernel.ReLUGradient(d, y, grad) }),
		device: func(d deviceCall) { d.ReLUGradient(d.y, d.in(0), d.in(1)) },
	}, y, grad)
}

func (b *builder) tanhGradient(y, grad *node) *node {
	return apply(&operation{
		name:  "TanhGradient",
		shape: y.Shape(),
		run: elements(func(y, grad, d []float32) {
			for i, y := range y {
				d[i] = (1 - float32(y*y)) * grad[i]
			}
		}),
	}, y, grad)
}

// shortcut carries a gradient around a block's convolutions. The second convolution is differentiated first and gives
// the gradient; the first takes it and adds it to its own. Gorgonia's addition would take another pass over all images.
type shortcut struct{ gradient *node }

// take returns the gradient. It panics if none was given yet, because the sum would lack it.
func (s *shortcut) take() *node {
	if s.gradient == nil {
		panic("net: a convolution was differentiated before the one whose shortcut it takes a gradient from: " +
			"Gorgonia must differentiate from the results to the inputs")
	}
	return s.gradient
}

// skip says what goes around a convolution. All may be nil.
type skip struct {
	residual *node     // added to the result
	sendTo   *shortcut // gets the gradient of the residual, or of x without a residual, instead of Gorgonia
	addFrom  *shortcut // holds another gradient of x, from a later convolution, to add
}

// convolution returns ReLU(conv(x) + bias + residual), where x is a ReLU's result. bias is [out], or [batch, out] by
// image.
func (b *builder) convolution(x, weight, bias *node, s skip) *node {
	m, in, out := x.Shape()[0], x.Shape()[1], weight.Shape()[0]
	plan := kernel.NewConv(b.height, b.width, in, out)
	b.scratch(plan.Workspace())
	filter := b.pack(plan.FilterSize(), in, func(filter, scratch []float32, portion, portions int) {
		plan.TransformFilter(filter, memory(weight), scratch, portion, portions)
	})
	inputs, each := []*node{x, weight, bias}, eachImage(bias)
	if s.residual != nil {
		inputs = append(inputs, s.residual)
	}
	return apply(&operation{
		name:     b.convName("Convolution"),
		shape:    []int{m, out},
		constant: map[int]bool{0: s.residual == nil && s.sendTo != nil, 3: true}, // a shortcut carries their gradients
		run: func(v [][]float32, y []float32, r imageRange) {
			bias := v[2]
			if each {
				bias = r.of(bias)
			}
			var residual []float32
			if s.residual != nil {
				residual = r.of(v[3])
			}
			plan.Forward(r.of(y), r.of(v[0]), filter.memory, bias, residual, true, r.scratch)
		},
		device: func(d deviceCall) {
			c := gpu.Convolution{Plan: plan, In: in, Out: out, Bias: d.in(2), Each: each, Rectify: true}
			if s.residual != nil {
				c.Residual = d.in(3)
			}
			d.Convolve(d.y, d.in(0), d.Filter(d.in(1), in, out, false), c)
		},
		diff: func(inputs []*node, y, grad *node) []*node {
			grad = b.reluGradient(y, grad)
			var added *node
			if s.addFrom != nil {
				added = s.addFrom.take()
			}
			dx := b.convInputGradient(inputs[0], inputs[1], grad, added)
			switch {
			case s.sendTo != nil && s.residual != nil:
				s.sendTo.gradient = grad
			case s.sendTo != nil:
				s.sendTo.gradient, dx = dx, nil
			}
			dweight, dbias := b.convWeightGradient(plan, inputs[0], grad, inputs[1].Shape(), each)
			return []*node{dx, dweight, dbias, nil}[:len(inputs)]
		},
		onnx: func(g *onnx.Graph, in []*onnx.Tensor) *onnx.Tensor {
			y := g.Layer(in[0], in[1], in[2])
			if s.residual != nil {
				y = g.Add(in[3], y)
			}
			return g.Apply(string(rectifier), y)
		},
	}, inputs...)
}

// convInputGradient returns the convolution of grad with the flipped weight, [B*H*W, in], plus added unless nil. It is
// 0 where x, a ReLU's result, is not above 0.
func (b *builder) convInputGradient(x, weight, grad, added *node) *node {
	m, in, out := grad.Shape()[0], weight.Shape()[1], weight.Shape()[0]
	plan := kernel.NewConv(b.height, b.width, out, in)
	b.scratch(plan.Workspace())
	filter := b.pack(plan.FilterSize(), out, func(filter, scratch []float32, portion, portions int) {
		plan.TransformFlipped(filter, memory(weight), scratch, portion, portions)
	})
	inputs := []*node{weight, grad, x}
	if added != nil {
		inputs = append(inputs, added)
	}
	dx := apply(&operation{
		name:  b.convName("ConvolutionInputGradient"),
		shape: []int{m, in},
		run: func(v [][]float32, dx []float32, r imageRange) {
			var residual []float32
			if added != nil {
				residual = r.of(v[3])
			}
			plan.InputGradient(r.of(dx), r.of(v[1]), filter.memory, residual, r.of(v[2]), r.scratch)
		},
		device: func(d deviceCall) {
			c := gpu.Convolution{Plan: plan, In: out, Out: in, Mask: d.in(2)}
			if added != nil {
				c.Residual = d.in(3)
			}
			d.Convolve(d.y, d.in(1), d.Filter(d.in(0), out, in, true), c)
		},
	}, inputs...)
	b.masked[dx] = x
	return dx
}

// convWeightGradient returns the gradients of the weight, whose shape is [out, in, 3, 3], and of the bias, which is
// each image's own if each is true. One that all images share comes with the weight's, so it has that for its input.
func (b *builder) convWeightGradient(plan *kernel.Conv, x, grad *node, shape []int, each bool) (dweight, dbias *node) {
	op := &operation{
		name:  b.convName("ConvolutionWeightGradient"),
		shape: shape,
		sum: func(v [][]float32, dw, db []float32, r imageRange, portion, portions int) {
			plan.WeightGradient(dw, db, r.of(v[0]), r.of(v[1]), r.scratch, portion, portions)
		},
		device: func(d deviceCall) {
			d.ConvolutionGradient(d.y, d.second, d.in(0), d.in(1), plan, x.Shape()[1], shape[0])
		},
		work: float64(size(x.Shape()) * shape[0] * 3), maxPortions: plan.GradientPortions(),
	}
	dweight = apply(op, x, grad)
	if each {
		return dweight, b.biasGradient(grad, true)
	}
	op.second = &operation{name: b.convName("ConvolutionBiasGradient"), shape: shape[:1]}
	return dweight, apply(op.second, dweight)
}

func (b *builder) convName(kind string) string {
	return fmt.Sprintf("%s %dx%d", kind, b.height, b.width)
}

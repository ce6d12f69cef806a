package net

import (
	"tengen/internal/gpu"
	"tengen/internal/kernel"
	"tengen/internal/portable"
	"tengen/net/onnx"
)

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

// flatten reshapes x [B*H*W, C] to [B, H*W*C], a row for each image.
func (b *builder) flatten(x *node) *node {
	return reshape(x, b.batch, size(x.Shape())/b.batch)
}

// affine returns the activation of x weight^T + bias, [M, in] to [M, out]. bias is [out], a row for each image
// [batch, out], or nil. inputGradient is false only if x is the input planes, which need no gradient.
func (b *builder) affine(x, weight, bias *node, then activation, inputGradient bool) *node {
	run, device := b.product(x, weight, bias, then)
	return b.affineBy(run, device, x, weight, bias, then, inputGradient)
}

// product returns the functions that compute affine's result, here and on a device. A device leaves tanh to its caller.
func (b *builder) product(x, weight, bias *node, then activation) (
	run func(in [][]float32, result []float32, r imageRange), device func(d deviceCall),
) {
	m, in, out := x.Shape()[0], x.Shape()[1], weight.Shape()[0]
	perImage := m / b.batch
	each, width := eachImage(bias), kernel.Pad(out)
	b.scratch(kernel.DenseScratch(m, out))
	none := make([]float32, out)
	packed := b.pack((in+1)*width, width/kernel.Lanes, func(packed, _ []float32, portion, portions int) {
		values := none
		if bias != nil && !each {
			values = memory(bias)
		}
		kernel.PackDense(in, out, memory(weight), values, packed, packed[in*width:], portion, portions)
	})
	var padded []float32
	if each {
		padded = make([]float32, b.batch*width)
	}
	run = func(v [][]float32, y []float32, r imageRange) {
		x, y, filter := r.of(v[0]), r.of(y), packed.memory[:in*width]
		if each {
			for i := range r.last - r.first {
				bias := padded[(r.first+i)*width:][:width]
				copy(bias, r.of(v[2])[i*out:(i+1)*out])
				kernel.Dense(perImage, in, out, x[i*perImage*in:], filter, bias, y[i*perImage*out:], then == rectifier, r.scratch)
			}
		} else {
			kernel.Dense(len(y)/out, in, out, x, filter, packed.memory[in*width:], y, then == rectifier, r.scratch)
		}
		if then == tanh {
			for i, x := range y {
				y[i] = float32(portable.Tanh(float64(x)))
			}
		}
	}
	device = func(d deviceCall) {
		filter, offset := d.Packed(out, in), gpu.Buffer{}
		d.Pack(filter, d.in(1), out, in, 0)
		if bias != nil {
			offset = d.in(2)
		}
		d.Dense(d.y, d.in(0), filter, offset, gpu.Product{Rows: perImage, In: in, Out: out, Each: each, Rectify: then == rectifier})
	}
	return run, device
}

// affineBy is affine with the given functions to compute the result, from the nodes of results as well if there are
// any.
func (b *builder) affineBy(
	run func(in [][]float32, result []float32, r imageRange), device func(d deviceCall),
	x, weight, bias *node, then activation, inputGradient bool, results ...*node,
) *node {
	inputs := []*node{x, weight}
	if bias != nil {
		inputs = append(inputs, bias)
	}
	parameters := len(inputs)
	inputs = append(inputs, results...)
	return apply(&operation{
		name:     "Dense " + string(then),
		shape:    []int{x.Shape()[0], weight.Shape()[0]},
		tanh:     then == tanh,
		constant: map[int]bool{0: !inputGradient, 3: true},
		run:      run,
		device:   device,
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
				gradients[0] = b.denseInputGradient(weight, grad, x.Shape()[1])
			}
			if bias != nil {
				gradients = append(gradients, b.biasGradient(grad, eachImage(bias)))
			}
			return append(gradients, make([]*node, len(results))...)
		},
		onnx: func(g *onnx.Graph, in []*onnx.Tensor) *onnx.Tensor {
			y := g.Layer(in[0], in[1], in[2:parameters]...)
			if then != linear {
				y = g.Apply(string(then), y)
			}
			return y
		},
	}, inputs...)
}

// eachImage reports whether bias has a row for each image.
func eachImage(bias *node) bool { return bias != nil && len(bias.Shape()) == 2 }

// denseInputGradient returns grad weight, [M, in].
func (b *builder) denseInputGradient(weight, grad *node, in int) *node {
	m, out := grad.Shape()[0], grad.Shape()[1]
	rows := m / b.batch
	return apply(&operation{
		name:  "DenseInputGradient",
		shape: []int{m, in},
		run: func(v [][]float32, dx []float32, r imageRange) {
			kernel.Multiply((r.last-r.first)*rows, in, out, r.of(v[1]), out, 1, v[0], in, r.of(dx), in)
		},
		device: func(d deviceCall) { d.DenseGradient(d.y, d.in(1), d.in(0), rows, out, in) },
	}, weight, grad)
}

// denseWeightGradient returns grad^T x, in the shape of the weight.
func (b *builder) denseWeightGradient(x, grad *node, shape []int) *node {
	rows, in, out := x.Shape()[0]/b.batch, x.Shape()[1], grad.Shape()[1]
	return apply(&operation{
		name:  "DenseWeightGradient",
		shape: shape,
		sum: func(v [][]float32, dw, _ []float32, r imageRange, portion, portions int) {
			first, last := out*portion/portions, out*(portion+1)/portions
			x := r.of(v[0])
			kernel.Multiply(last-first, in, len(x)/in, r.of(v[1])[first:], 1, out, x, in, dw[first*in:], in)
		},
		device: func(d deviceCall) { d.DenseWeightGradient(d.y, d.in(0), d.in(1), rows, out, in) },
		work:   float64(size(x.Shape()) * out), maxPortions: out,
	}, x, grad)
}

// joinHeads computes all heads' 1x1 convolutions of the trunk as one matrix product, [B*H*W, in] to [B*H*W, channels of
// all layers]. Each head has so few channels that computing it alone would fill the vector registers mostly with
// padding.
func (b *builder) joinHeads(trunk *node, layers []*layer) {
	in, cells, out := trunk.Shape()[1], b.height*b.width, 0
	inputs := []*node{trunk}
	b.headColumns = map[*layer]int{}
	for _, l := range layers {
		b.headColumns[l] = out
		out += l.shape[0]
		inputs = append(inputs, l.weight, l.bias)
	}
	width := kernel.Pad(out)
	packed := b.pack((in+1)*width, 1, func(packed, _ []float32, _, _ int) {
		var weight, bias []float32
		for _, l := range layers {
			weight, bias = append(weight, memory(l.weight)...), append(bias, memory(l.bias)...)
		}
		kernel.PackDense(in, out, weight, bias, packed, packed[in*width:], 0, 1)
	})
	b.scratch(kernel.DenseScratch(b.batch*cells, out))
	b.joinedHeads = apply(&operation{
		name:  "JoinedHeads",
		shape: []int{b.batch * cells, out},
		run: func(v [][]float32, y []float32, r imageRange) {
			kernel.Dense((r.last-r.first)*cells, in, out, r.of(v[0]), packed.memory[:in*width], packed.memory[in*width:],
				r.of(y), true, r.scratch)
		},
		device: func(d deviceCall) {
			filter, bias := d.Packed(out, in), d.Packed(out, 1)
			for i, l := range layers {
				d.Pack(filter, d.in(1+2*i), l.shape[0], in, b.headColumns[l])
				d.Pack(bias, d.in(2+2*i), l.shape[0], 1, b.headColumns[l])
			}
			d.Dense(d.y, d.in(0), filter, bias, gpu.Product{Rows: cells, In: in, Out: out, Rectify: true})
		},
		onnx: func(*onnx.Graph, []*onnx.Tensor) *onnx.Tensor { return nil }, // files have a convolution for each head
	}, inputs...)
}

// headConv returns ReLU(conv(trunk) + bias), a 1x1 convolution, [B*H*W, in] to [B*H*W, out]. It copies the head's
// columns from joinHeads.
func (b *builder) headConv(trunk *node, l *layer) *node {
	first, out, all := b.headColumns[l], l.shape[0], b.joinedHeads.Shape()[1]
	cells := b.height * b.width
	return b.affineBy(func(v [][]float32, y []float32, r imageRange) {
		for i := r.first * cells; i < r.last*cells; i++ {
			copy(y[i*out:(i+1)*out], v[3][i*all+first:])
		}
	}, func(d deviceCall) {
		d.Copy(d.y, d.in(3), gpu.Columns{Rows: cells, Count: out, WidthTo: out, WidthFrom: all, FirstFrom: first})
	}, trunk, l.weight, l.bias, rectifier, true, b.joinedHeads)
}

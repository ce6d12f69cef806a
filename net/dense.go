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

// affineBy is affine with the given functions to compute the result.
func (b *builder) affineBy(
	run func(in [][]float32, result []float32, r imageRange), device func(d deviceCall),
	x, weight, bias *node, then activation, inputGradient bool,
) *node {
	inputs := []*node{x, weight}
	if bias != nil {
		inputs = append(inputs, bias)
	}
	return apply(&operation{
		name:     "Dense " + string(then),
		shape:    []int{x.Shape()[0], weight.Shape()[0]},
		constant: map[int]bool{0: !inputGradient},
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

// joint computes all heads' 1x1 convolutions of the trunk as one matrix product. Each head has so few channels that
// computing it alone would fill the vector registers mostly with padding.
//
// The graph still has an operation for each head. The operation that runs first computes the product for all, and every
// operation copies its head's columns. Which one is first, Gorgonia's machine decides, and the tape keeps that order: so
// leader is set by the first run and never changes.
type joint struct {
	layers []*layer
	leader *layer
	run    func(in [][]float32, result []float32, r imageRange)
	result []float32 // of run, [B*H*W, Pad(channels of all layers)]

	// The same on a device. device adds the product to a network there. onDevice is its result in network, the last one that
	// an operation was added to.
	device   func(d deviceCall) (result gpu.Buffer)
	network  *gpu.Network
	onDevice gpu.Buffer
}

// headConv returns ReLU(conv(trunk) + bias), a 1x1 convolution, [B*H*W, in] to [B*H*W, out]. After the last
// call, the caller must call joinHeads.
func (b *builder) headConv(trunk *node, l *layer) *node {
	j, offset, out := &b.headConvs, b.headConvs.channels(), l.shape[0]
	j.layers = append(j.layers, l)
	cells := b.height * b.width
	return b.affineBy(func(v [][]float32, y []float32, r imageRange) {
		if j.leader == nil {
			j.leader = l
		}
		if j.leader == l {
			j.run(v, j.result, r)
		}
		width := kernel.Pad(j.channels())
		for i := r.first * cells; i < r.last*cells; i++ {
			copy(y[i*out:(i+1)*out], j.result[i*width+offset:])
		}
	}, func(d deviceCall) {
		if j.network != d.Network {
			j.network, j.onDevice = d.Network, j.device(d)
		}
		d.Copy(d.y, j.onDevice, gpu.Columns{Rows: cells, Count: out, WidthTo: out, WidthFrom: kernel.Pad(j.channels()), FirstFrom: offset})
	}, trunk, l.weight, l.bias, rectifier, true)
}

// joinHeads prepares the product for all calls to headConv.
func (b *builder) joinHeads(trunk *node) {
	j, in, cells := &b.headConvs, trunk.Shape()[1], b.height*b.width
	out := j.channels()
	width := kernel.Pad(out)
	packed := b.pack((in+1)*width, 1, func(packed, _ []float32, _, _ int) {
		var weight, bias []float32
		for _, l := range j.layers {
			weight, bias = append(weight, memory(l.weight)...), append(bias, memory(l.bias)...)
		}
		kernel.PackDense(in, out, weight, bias, packed, packed[in*width:], 0, 1)
	})
	j.result = make([]float32, b.batch*cells*width)
	j.run = func(v [][]float32, y []float32, r imageRange) {
		kernel.Dense((r.last-r.first)*cells, in, width, r.of(v[0]), packed.memory[:in*width], packed.memory[in*width:],
			r.of(y), true, r.scratch)
	}
	j.device = func(d deviceCall) gpu.Buffer {
		y, filter, bias, first := d.Result(cells*width), d.Packed(out, in), d.Packed(out, 1), 0
		for _, l := range j.layers {
			d.Pack(filter, d.of(memory(l.weight)), l.shape[0], in, first)
			d.Pack(bias, d.of(memory(l.bias)), l.shape[0], 1, first)
			first += l.shape[0]
		}
		d.Dense(y, d.in(0), filter, bias, gpu.Product{Rows: cells, In: in, Out: width, Rectify: true})
		return y
	}
}

func (j *joint) channels() (n int) {
	for _, l := range j.layers {
		n += l.shape[0]
	}
	return n
}

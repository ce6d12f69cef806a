package net

import (
	"tengen/internal/gpu"
	"tengen/internal/kernel"
)

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

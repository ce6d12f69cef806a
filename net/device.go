package net

import (
	"tengen/game"
	"tengen/internal/gpu"
	"tengen/internal/portable"
)

// onDevice is an inference's network on a device, for its whole batch.
type onDevice struct {
	network *gpu.Network
	planes  []byte // [rows, planes, H, W]
	outputs []gpu.Output
}

// Accelerate moves Forward to a device, whose outputs have the same bits. If the device fails, then or later, Forward
// goes on without it, and d.Lost says why.
func (inf *Inference) Accelerate(d *gpu.Device) error {
	s := inf.weights.Shape
	n, err := d.NewNetwork(s.Height, s.Width, s.Planes, inf.Batch())
	if err != nil {
		return err
	}
	results := make(map[*float32]gpu.Buffer)
	for _, op := range inf.tape.operations {
		in := func(i int) gpu.Buffer {
			memory := op.in[i]
			b, ok := results[&memory[0]]
			if !ok { // a parameter
				b = n.Constant(func() []float32 { return memory })
				results[&memory[0]] = b
			}
			return b
		}
		y, ok := results[&op.memory[0]]
		if !ok {
			y = n.Result(len(op.memory) / inf.network.batch)
			results[&op.memory[0]] = y
		}
		op.device(n, in, y)
	}
	if err := n.Load(); err != nil {
		n.Close()
		return err
	}
	inf.device = &onDevice{n, make([]byte, len(inf.planes)), []gpu.Output{
		{From: results[&inf.pass.logits[0]], To: inf.logits}, {From: results[&inf.pass.value[0]], To: inf.value},
	}}
	return nil
}

func (inf *Inference) loadDevice() {
	if inf.device != nil && inf.device.network.Load() != nil {
		inf.device = nil
	}
}

// forwardOnDevice is Forward on the device. It returns false if there is none, or no longer one.
func (inf *Inference) forwardOnDevice(n int) bool {
	d := inf.device
	if d == nil {
		return false
	}
	for i, x := range inf.cut(0, n).planes {
		d.planes[i] = byte(x)
	}
	if !seesLastMove(inf.weights.Config, inf.weights.Shape) {
		cells := inf.weights.Shape.cells()
		for i := range n {
			clear(d.planes[(i*inf.weights.Shape.Planes+game.LastPlane)*cells:][:cells])
		}
	}
	if d.network.Forward(n, d.planes[:n*inf.weights.Shape.inputLen()], d.outputs...) != nil {
		inf.device = nil
		return false
	}
	for i, x := range inf.value[:n] {
		inf.value[i] = float32(portable.Tanh(float64(x)))
	}
	return true
}

package net

import (
	"fmt"

	"tengen/internal/gpu"
)

// trainerDevice is a trainer's network on a device. The loss stays on the processor, which has float64: only the
// network's outputs, their gradients and the weights' gradients cross.
type trainerDevice struct {
	network twin
	planes  []byte // of the batch, one byte for each 0 or 1
	// outputs[i] is read from the device into its own memory, then copied to results[i], where the loss reads it. Two
	// memories are needed because a device that stops answering may still write to the first. Invariant: len(outputs)
	// == len(results).
	outputs []gpu.Output
	results [][]float32
	// tanhOf is the one of results that the device delivers before its tanh: OpenCL's has other bits than package
	// portable's.
	tanhOf    []float32
	inputs    []gpu.Input // the loss's gradients with respect to the outputs
	gradients gpu.Output  // of all weights, one after another
}

// Accelerate moves Run to a device, whose gradients have the same bits, if it has room. The caller must then call
// Close.
func (t *Trainer) Accelerate(d *Device) {
	cfg, shape := t.network.cfg, t.network.shape
	key := fmt.Sprint("training ", cfg, shape)
	if d.prepare(key, func() error { return checkTraining(d.card, cfg, shape, checkRows, 1) }, func() (err error) {
		t.board, err = t.onDevice(d.card)
		return err
	}) {
		t.device = d
	}
}

// Close moves Run back to this processor, and frees the device's memory.
func (t *Trainer) Close() {
	if t.device != nil {
		t.board.network.Close()
		t.device, t.board = nil, nil
		t.Update()
	}
}

// onDevice puts the network and its gradients on a device.
func (t *Trainer) onDevice(d *gpu.Device) (*trainerDevice, error) {
	s, batch := t.network.shape, t.network.batch
	n, err := d.NewTraining(s.Height, s.Width, s.Planes, batch)
	if err != nil {
		return nil, err
	}
	var sizes []int
	for _, g := range t.gradients {
		sizes = append(sizes, len(g.Data))
	}
	parts, all := n.Gradients(sizes)
	there := twin{n, batch, t.weights.Params, map[*float32]gpu.Buffer{}}
	for i, g := range t.gradients {
		there.buffers[&g.Data[0]] = parts[i]
	}
	a := &trainerDevice{network: there, planes: make([]byte, len(t.batch.Planes)), gradients: gpu.Output{From: all, To: make([]float32, all.Size())}}
	operations := t.tape.operations
	forward, loss, backward := operations[:t.forwardEnd], operations[t.forwardEnd:t.lossEnd], operations[t.lossEnd:]
	there.add(forward)
	a.read(forward, loss)
	a.write(loss, backward)
	n.Split(len(t.entropy))
	there.add(backward)
	if err := n.Load(); err != nil {
		n.Close()
		return nil, err
	}
	return a, nil
}

// read plans the results that the loss reads.
func (a *trainerDevice) read(forward, loss []*operation) {
	for _, op := range readBy(loss, forward) {
		a.outputs = append(a.outputs, gpu.Output{From: a.network.of(op.memory), To: make([]float32, len(op.memory))})
		a.results = append(a.results, op.memory)
		if op.tanh {
			a.tanhOf = op.memory
		}
	}
}

// write plans the gradients that the operations after the loss read.
func (a *trainerDevice) write(loss, backward []*operation) {
	for _, op := range readBy(backward, loss) {
		a.inputs = append(a.inputs, gpu.Input{To: a.network.result(op.memory), From: op.memory})
	}
}

// readBy returns the operations whose results others read.
func readBy(others, operations []*operation) (list []*operation) {
	read := map[*float32]bool{}
	for _, op := range others {
		for _, in := range op.in {
			read[&in[0]] = true
		}
	}
	for _, op := range operations {
		if read[&op.memory[0]] {
			list = append(list, op)
		}
	}
	return list
}

// runOn is run on a device.
func (t *Trainer) runOn(a *trainerDevice) error {
	toBytes(a.planes, t.batch.Planes)
	if err := a.network.Forward(t.network.batch, a.planes, a.outputs...); err != nil {
		return err
	}
	for i, o := range a.outputs {
		copy(a.results[i], o.To)
	}
	toTanh(a.tanhOf)
	t.computeLoss()
	if err := a.network.Backward(a.inputs, a.gradients); err != nil {
		return err
	}
	t.pool.Each(len(t.gradients), func(i, _ int) {
		first := 0
		for _, g := range t.gradients[:i] {
			first += len(g.Data)
		}
		copy(t.gradients[i].Data, a.gradients.To[first:])
	})
	return nil
}

// compare computes the last step on this processor, and compares its losses and gradients with the device's.
func (t *Trainer) compare(a *trainerDevice) error {
	got, _ := t.meanLosses() // infinite losses are an error
	t.compute(t.fills)
	t.run()
	want, _ := t.meanLosses()
	for i, term := range want.Terms {
		err := sameBits("the loss of "+term.Name+" is", []float32{got.Terms[i].Loss}, []float32{term.Loss})
		if err != nil {
			return err
		}
	}
	first := 0
	for _, p := range t.gradients {
		if err := sameBits("the gradient of "+p.Name+" has", a.gradients.To[first:], p.Data); err != nil {
			return err
		}
		first += len(p.Data)
	}
	return nil
}

// computeLoss computes what lies between the device's outputs and their gradients.
func (t *Trainer) computeLoss() {
	loss := tape{operations: t.tape.operations[t.forwardEnd:t.lossEnd]}
	t.pool.Each(len(t.imageTasks), func(i, _ int) {
		r := t.imageTasks[i]
		t.maskIllegal(r)
		loss.play(r, t.sumInline(i, r))
	})
	var rest []func()
	for i := range t.entropy {
		rest = append(rest, func() { t.takeEntropy(i) })
		for _, op := range loss.sums() {
			if !t.inline {
				rest = append(rest, func() { t.sumOf[op][i](nil, 0, 1) })
			}
		}
	}
	t.pool.Each(len(rest), func(i, _ int) { rest[i]() })
}

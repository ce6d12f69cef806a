package net

import (
	"fmt"
	"runtime"
	"slices"

	"tengen/internal/gpu"
	"tengen/internal/portable"
)

// trainerDevice is a trainer's network on a device. The loss stays on the processor, which has float64: only outputs and
// their gradients cross.
type trainerDevice struct {
	network   *gpu.Network
	planes    []byte       // of the batch
	outputs   []gpu.Output // of the network
	results   [][]float32  // where the loss reads them
	tanh      []float32    // the result whose tanh is missing
	inputs    []gpu.Input  // gradients of outputs
	gradients gpu.Output
	sums      [][]func() // of the loss, by micro-batch
	entropy   []func()   // by micro-batch
}

// Accelerate moves Run to a device, whose gradients have the same bits. If that is not possible, it warns, and the device
// may still evaluate. If the device fails later, it warns, and the processor computes the step.
func (t *Trainer) Accelerate(d *gpu.Device) {
	if d.Lost() != nil {
		return
	}
	cfg, shape := t.network.cfg, t.network.shape
	err := d.Check(fmt.Sprint("training ", cfg, shape), func() error { return CheckTraining(d, cfg, shape) })
	if err == nil {
		err = t.accelerate(d)
	}
	if err != nil && d.Lost() == nil {
		d.Warn(fmt.Errorf("%w: the processor learns instead", err))
	}
}

func (t *Trainer) accelerate(d *gpu.Device) error {
	s, batch := t.network.shape, t.network.batch
	n, err := d.NewTraining(s.Height, s.Width, s.Planes, batch)
	if err != nil {
		return err
	}
	var sizes []int
	for _, g := range t.gradients {
		sizes = append(sizes, len(g.Data))
	}
	parts, all := n.Gradients(sizes)
	results := make(map[*float32]gpu.Buffer)
	for i, g := range t.gradients {
		results[&g.Data[0]] = parts[i]
	}
	a := &trainerDevice{network: n, planes: make([]byte, len(t.batch.Planes)), gradients: gpu.Output{From: all, To: make([]float32, all.Size())}}
	forward, loss, backward := t.tape.operations[:t.forward], t.tape.operations[t.forward:t.loss], t.tape.operations[t.loss:]
	addTo(n, forward, batch, t.weights.Params, results)
	a.read(forward, loss, batch, results)
	a.write(loss, backward, batch, results)
	n.Split(len(t.entropy))
	addTo(n, backward, batch, t.weights.Params, results)
	if err := n.Load(); err != nil {
		n.Close()
		return err
	}
	runtime.AddCleanup(a, (*gpu.Network).Close, n)
	a.planSums(t, loss)
	t.device = a
	return nil
}

// read plans the results that the loss reads.
func (a *trainerDevice) read(forward, loss []*operation, batch int, results map[*float32]gpu.Buffer) {
	for _, op := range forward {
		first := &op.memory[0]
		if !slices.ContainsFunc(loss, func(l *operation) bool { return reads(l, first) }) {
			continue
		}
		a.outputs = append(a.outputs, gpu.Output{From: results[first], To: make([]float32, len(op.memory))})
		a.results = append(a.results, op.memory)
		if op.name == "Dense "+string(tanh) {
			a.tanh = op.memory
		}
	}
}

// write plans the gradients that the operations after the loss read.
func (a *trainerDevice) write(loss, backward []*operation, batch int, results map[*float32]gpu.Buffer) {
	for _, op := range loss {
		first := &op.memory[0]
		if !slices.ContainsFunc(backward, func(b *operation) bool { return reads(b, first) }) {
			continue
		}
		a.inputs = append(a.inputs, gpu.Input{To: resultIn(a.network, op.memory, batch, results), From: op.memory})
	}
}

func reads(op *operation, first *float32) bool {
	return slices.ContainsFunc(op.in, func(in []float32) bool { return &in[0] == first })
}

// planSums plans the sums of the loss over each micro-batch, and the policy's entropy.
func (a *trainerDevice) planSums(t *Trainer, loss []*operation) {
	for i := range t.entropy {
		r := t.network.builder.images(i, len(t.entropy))
		a.sums = append(a.sums, nil)
		for _, op := range loss {
			for _, s := range t.losses {
				if &s.memory[0] == &op.memory[0] {
					a.sums[i] = append(a.sums[i], func() { op.sum(op.in, s.partials[i], nil, r, 0, 1) })
				}
			}
		}
		a.entropy = append(a.entropy, func() { t.entropy[i] = meanEntropy(r.of(t.logPolicy), r.last-r.first) })
	}
}

// loadDevice is Update on the device. It returns false if that is lost.
func (t *Trainer) loadDevice() bool {
	if t.device.network.Load() != nil {
		t.device = nil
	}
	return t.device != nil
}

// runOnDevice is run on the device, where it takes the functions of meanwhile. It returns false if the device is lost.
func (t *Trainer) runOnDevice(meanwhile *[]func()) bool {
	a, batch := t.device, t.network.batch
	err := t.onDevice("forward on the device", nil, func() error {
		toBytes(a.planes, t.batch.Planes)
		return a.network.Forward(batch, a.planes, a.outputs...)
	})
	if err == nil {
		for i, o := range a.outputs {
			copy(a.results[i], o.To)
		}
		for i, x := range a.tanh {
			a.tanh[i] = float32(portable.Tanh(float64(x)))
		}
		t.computeLoss()
		others := *meanwhile
		*meanwhile = nil
		err = t.onDevice("backward on the device", others, func() error { return a.network.Backward(a.inputs, a.gradients) })
	}
	if err != nil {
		t.device = nil
		t.Update()
		return false
	}
	t.pool.Each("gradients", len(t.gradients), func(i, _ int) {
		first := 0
		for _, g := range t.gradients[:i] {
			first += len(g.Data)
		}
		copy(t.gradients[i].Data, a.gradients.To[first:])
	})
	return true
}

// computeLoss computes what lies between the device's outputs and their gradients.
func (t *Trainer) computeLoss() {
	a, inline := t.device, len(t.inlineSums[0]) > 0 // as in run: sums must be taken on the way
	t.pool.Each("loss", len(t.imageTasks), func(i, _ int) {
		r, sum := t.imageTasks[i], 0
		t.maskIllegal(r)
		for _, op := range t.tape.operations[t.forward:t.loss] {
			if op.run != nil {
				op.run(op.in, op.memory, r)
			} else if inline {
				a.sums[i][sum]()
				sum++
			}
		}
	})
	rest := slices.Clone(a.entropy)
	if !inline {
		rest = append(rest, slices.Concat(a.sums...)...)
	}
	t.pool.Each("sums of the loss", len(rest), func(i, _ int) { rest[i]() })
}

// onDevice calls f, and the functions of meanwhile at the same time.
func (t *Trainer) onDevice(phase string, meanwhile []func(), f func() error) (err error) {
	t.pool.Each(phase, 1+len(meanwhile), func(i, _ int) {
		if i == 0 {
			err = f()
		} else {
			meanwhile[i-1]()
		}
	})
	return err
}

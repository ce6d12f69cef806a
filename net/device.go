package net

import (
	"fmt"
	"runtime"
	"slices"
	"sync"

	"tengen/internal/gpu"
	"tengen/internal/portable"
)

// onDevice is a network on a device. Inferences with the same weights share its batches: the first to arrive computes
// the waiting positions of the others too.
type onDevice struct {
	network *gpu.Network
	results map[*float32]gpu.Buffer // by the first element of the same result here

	computing sync.Mutex // guards what follows
	planes    []byte     // [rows, planes, H, W]
	logits    gpu.Output // a device that does not answer may write to these later
	value     gpu.Output // before tanh
	batch     []*share

	queue   sync.Mutex // guards waiting
	waiting []*share
}

// share is an inference's part of a batch.
type share struct {
	positions []byte // [rows, planes, H, W]
	buffers          // where the outputs go; its value is the one before tanh
	done      bool
	err       error
}

// Accelerate moves Forward to a device, whose outputs have the same bits. There a batch has at least some rows, for
// AccelerateWith. If the device fails, then or later, it warns and Forward uses the processor.
func (inf *Inference) Accelerate(d *gpu.Device, rows int) {
	if d.Lost() != nil {
		return
	}
	cfg, shape := inf.weights.Config, inf.weights.Shape
	err := d.Check(fmt.Sprint(cfg, shape), func() error { return CheckDevice(d, cfg, shape) })
	if err == nil {
		err = inf.accelerate(d, max(rows, inf.Batch()))
	}
	if err != nil {
		d.Lose(err)
	}
}

// AccelerateWith moves Forward to the network that from has on its device, and whose batches they then share. Its own
// batch must not be larger. Whenever Forward is called, both must have the same weights. Only loading weights into from
// updates the device.
func (inf *Inference) AccelerateWith(from *Inference) {
	if inf.Batch() > from.Batch() {
		panic(fmt.Sprintf("net: a batch of %d rows on a device that has %d", inf.Batch(), from.Batch()))
	}
	inf.device, inf.borrowed = from.device, true
}

func (inf *Inference) accelerate(d *gpu.Device, rows int) error {
	s := inf.weights.Shape
	n, err := d.NewNetwork(s.Height, s.Width, s.Planes, rows)
	if err != nil {
		return err
	}
	results := make(map[*float32]gpu.Buffer)
	addTo(n, inf.tape.operations, inf.network.batch, inf.weights.Params, results)
	if err := n.Load(); err != nil {
		n.Close()
		return err
	}
	inf.device = &onDevice{
		network: n, results: results, planes: make([]byte, rows*s.inputLen()),
		logits: gpu.Output{From: results[&inf.pass.logits[0]], To: make([]float32, rows*s.Actions)},
		value:  gpu.Output{From: results[&inf.pass.value[0]], To: make([]float32, rows)},
	}
	runtime.AddCleanup(inf.device, (*gpu.Network).Close, n)
	return nil
}

func (inf *Inference) loadDevice() {
	if inf.device != nil && !inf.borrowed && inf.device.network.Load() != nil {
		inf.device = nil
	}
}

// forwardOnDevice is Forward on the device. It returns false if there is none, or no longer one.
func (inf *Inference) forwardOnDevice(n int) bool {
	if inf.device == nil {
		return false
	}
	inf.ask(n)
	if inf.device.compute(&inf.share) != nil {
		inf.device = nil
		return false
	}
	for i, x := range inf.value[:n] {
		inf.value[i] = float32(portable.Tanh(float64(x)))
	}
	return true
}

// ask makes the share of the first n rows.
func (inf *Inference) ask(n int) {
	s := &inf.share
	s.buffers, s.done = inf.cut(0, n), false
	if s.positions == nil {
		s.positions = make([]byte, len(inf.planes))
	}
	s.positions = s.positions[:len(s.planes)]
	toBytes(s.positions, s.planes)
}

// toBytes writes planes as a device gets them.
func toBytes(to []byte, planes []float32) {
	for i, x := range planes {
		to[i] = byte(x)
	}
}

// compute sets the outputs of a share and of the other waiting shares.
func (d *onDevice) compute(s *share) error {
	d.queue.Lock()
	d.waiting = append(d.waiting, s)
	d.queue.Unlock()
	d.computing.Lock()
	defer d.computing.Unlock()
	for !s.done {
		d.computeBatch()
	}
	return s.err
}

// computeBatch computes the shares that have waited longest.
func (d *onDevice) computeBatch() {
	d.take()
	size, rows := 0, 0
	for _, s := range d.batch {
		size += copy(d.planes[size:], s.positions)
		rows += len(s.value)
	}
	err := d.network.Forward(rows, d.planes[:size], d.logits, d.value)
	logits, value := d.logits.To, d.value.To
	for _, s := range d.batch {
		if err == nil {
			logits, value = logits[copy(s.logits, logits):], value[copy(s.value, value):]
		}
		s.err, s.done = err, true
	}
}

// take moves shares that fit into a batch from waiting to batch.
func (d *onDevice) take() {
	d.queue.Lock()
	defer d.queue.Unlock()
	n, rows := 0, 0
	for n < len(d.waiting) && rows+len(d.waiting[n].value) <= len(d.value.To) {
		rows += len(d.waiting[n].value)
		n++
	}
	d.batch = append(d.batch[:0], d.waiting[:n]...)
	d.waiting = slices.Delete(d.waiting, 0, n)
}

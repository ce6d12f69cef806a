package net

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"sync"

	"tengen/game"
	"tengen/internal/gpu"
	"tengen/internal/kernel"
	"tengen/internal/portable"
	"tengen/internal/random"
)

// onDevice is an inference's network on a device, for its whole batch. Inferences with the same weights may share it.
type onDevice struct {
	mu      sync.Mutex // guards what follows
	network *gpu.Network
	results map[*float32]gpu.Buffer // by the first element of the same result here
	planes  []byte                  // [rows, planes, H, W]
	logits  gpu.Output              // a device that does not answer may write to these later
	value   gpu.Output              // before tanh
}

// Accelerate moves Forward to a device, whose outputs have the same bits. If the device fails, then or later, it warns and
// Forward uses the processor.
func (inf *Inference) Accelerate(d *gpu.Device) {
	if d.Lost() != nil {
		return
	}
	cfg, shape := inf.weights.Config, inf.weights.Shape
	err := d.Check(fmt.Sprint(cfg, shape), func() error { return CheckDevice(d, cfg, shape) })
	if err == nil {
		err = inf.accelerate(d)
	}
	if err != nil {
		d.Lose(err)
	}
}

// AccelerateWith moves Forward to the network that from has on its device. Both must have the same batch and, whenever
// Forward is called, the same weights. Only loading weights into from updates the device.
func (inf *Inference) AccelerateWith(from *Inference) { inf.device, inf.borrowed = from.device, true }

func (inf *Inference) accelerate(d *gpu.Device) error {
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
	inf.device = &onDevice{
		network: n, results: results, planes: make([]byte, len(inf.planes)),
		logits: gpu.Output{From: results[&inf.pass.logits[0]], To: make([]float32, len(inf.logits))},
		value:  gpu.Output{From: results[&inf.pass.value[0]], To: make([]float32, len(inf.value))},
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
	d := inf.device
	if d == nil {
		return false
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	for i, x := range inf.cut(0, n).planes {
		d.planes[i] = byte(x)
	}
	if shape := inf.weights.Shape; !seesLastMove(inf.weights.Config, shape) {
		for i := range n {
			clear(d.planes[(i*shape.Planes+game.LastPlane)*shape.cells():][:shape.cells()])
		}
	}
	if d.network.Forward(n, d.planes[:n*inf.weights.Shape.inputLen()], d.logits, d.value) != nil {
		inf.device = nil
		return false
	}
	copy(inf.logits, d.logits.To[:n*inf.weights.Shape.Actions])
	for i, x := range d.value.To[:n] {
		inf.value[i] = float32(portable.Tanh(float64(x)))
	}
	return true
}

// CheckDevice computes a network of an architecture on a device and on this processor, with weights of several kinds. It
// returns an error if any operation's results differ in a bit. All NaN count as equal.
func CheckDevice(d *gpu.Device, cfg Config, shape Shape) error {
	if kernel.Name() == "go" {
		return errors.New("this processor computes in plain Go, which rounds otherwise than a device")
	}
	const rows = 18                                       // on boards of four tiles, products have more rows than a group's 64
	inf := compile(NewWeights(cfg, shape, 1), rows, rows) // without reuse, so all results stay
	if err := inf.accelerate(d); err != nil {
		return err
	}
	defer inf.device.network.Close()
	rng := random.New(1, random.Weights)
	planes := inf.cut(1, rows).planes // row 0 stays empty
	for i := range planes {
		planes[i] = float32(rng.IntN(2))
	}
	for _, kind := range weightsToCheck(rng) {
		w := NewWeights(cfg, shape, 1)
		for _, p := range w.Params {
			for i, x := range p.Data {
				p.Data[i] = kind(x+float32((float32(rng.Float32())-0.5)/64), len(p.Shape) == 1)
			}
		}
		if err := inf.compareDevice(d, w); err != nil {
			return fmt.Errorf("it computes other bits than this processor: %w", err)
		}
	}
	return nil
}

// weightsToCheck returns functions that make of an ordinary weight or bias one of a kind.
func weightsToCheck(rng *rand.Rand) []func(w float32, bias bool) float32 {
	return []func(w float32, bias bool) float32{
		func(w float32, _ bool) float32 { return w },
		func(w float32, bias bool) float32 { // denormal products of two layers
			if bias {
				return w * 0x1p-130
			}
			return w * 0x1p-64
		},
		func(w float32, bias bool) float32 { // sums that stay -0
			if bias {
				return float32(math.Copysign(0, -1))
			}
			return -max(w, -w)
		},
		func(w float32, _ bool) float32 {
			switch rng.IntN(400) {
			case 0:
				return float32(math.Inf(1))
			case 1:
				return float32(math.NaN())
			}
			return w
		},
	}
}

// compareDevice compares all results of all operations, whose memory must not have been reused.
func (inf *Inference) compareDevice(d *gpu.Device, w *Weights) error {
	inf.Load(w)
	rows := inf.Batch()
	if !inf.forwardOnDevice(rows) {
		return d.Lost()
	}
	copy(inf.pass.planes, inf.planes)
	inf.images.last = rows
	inf.network.hideLastMove(inf.images)
	inf.tape.play(inf.images)
	for _, op := range inf.tape.operations {
		want := op.memory
		got := make([]float32, len(want))
		if err := inf.device.network.Read(gpu.Output{From: inf.device.results[&want[0]], To: got}, rows); err != nil {
			return err
		}
		for i, x := range want {
			y := got[i]
			if op.name == "Dense "+string(tanh) {
				y = float32(portable.Tanh(float64(y)))
			}
			if math.Float32bits(x) != math.Float32bits(y) && !(x != x && y != y) {
				return fmt.Errorf("%s has %v in place of %v", op.name, y, x)
			}
		}
	}
	return nil
}

package net

import (
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"

	"tengen/internal/gpu"
	"tengen/internal/kernel"
	"tengen/internal/parallel"
	"tengen/internal/random"
)

// checkRows are the rows of a check: on boards of four tiles, products then have more rows than a group's 64.
const checkRows = 18

var errPlainGo = fmt.Errorf("%w: that computes in plain Go, which rounds otherwise than a device", errBits)

// checkDevice computes a network of an architecture on a device and on this processor, with weights of several kinds.
// It returns an error if any operation's results differ in a bit. All NaN count as equal.
func checkDevice(d *gpu.Device, cfg Config, shape Shape) error {
	if kernel.Name() == "go" {
		return errPlainGo
	}
	inf := compile(NewWeights(cfg, shape, 1), playing, checkRows, checkRows) // without reuse, so all results stay
	there, err := inf.onDevice(d, checkRows)
	if err != nil {
		return err
	}
	defer there.network.Close()
	rng := random.New(1, random.Weights)
	planes := inf.cut(1, checkRows).planes // row 0 stays empty
	for i := range planes {
		planes[i] = float32(rng.IntN(2))
	}
	toBytes(there.planes, inf.planes)
	return withWeights(d, rng, NewWeights(cfg, shape, 1), func(w *Weights) error {
		inf.Load(w)
		if err := there.network.Load(); err != nil {
			return err
		}
		return inf.compare(there)
	})
}

// checkTraining is checkDevice for a step of some rows: it compares losses and gradients.
func checkTraining(d *gpu.Device, cfg Config, shape Shape, rows, cores int) error {
	if kernel.Name() == "go" {
		return errPlainGo
	}
	const parts = 2
	pool := parallel.NewPool(cores)
	defer pool.Close()
	w := NewWeights(cfg, shape, 1)
	t := NewTrainer(w, rows, parts, pool)
	there, err := t.onDevice(d)
	if err != nil {
		return err
	}
	defer there.network.Close()
	rng := random.New(1, random.Weights)
	for _, data := range [][]float32{t.batch.Planes, t.batch.Legal} {
		for i := range data {
			data[i] = float32(rng.IntN(2))
		}
	}
	for i := range rows {
		t.batch.Legal[i*shape.Actions+rng.IntN(shape.Actions)] = 1
	}
	targets := [][]float32{t.batch.Pi, t.batch.Z}
	for _, name := range slices.Sorted(maps.Keys(t.batch.Targets)) {
		targets = append(targets, t.batch.Targets[name])
	}
	for _, data := range targets {
		for i := range data {
			data[i] = float32(rng.Float32())
		}
	}
	return withWeights(d, rng, w, func(w *Weights) error {
		t.Load(w)
		if err := there.network.Load(); err != nil {
			return err
		}
		if err := t.runOn(there); err != nil {
			return err
		}
		return t.compare(there)
	})
}

// withWeights calls compare with weights of each kind, like w. An error of compare means other bits, unless the device
// is lost.
func withWeights(d *gpu.Device, rng *rand.Rand, w *Weights, compare func(w *Weights) error) error {
	for _, kind := range weightsToCheck(rng) {
		w := w.Clone()
		for _, p := range w.Params {
			for i, x := range p.Data {
				p.Data[i] = kind(x+float32((float32(rng.Float32())-0.5)/64), len(p.Shape) == 1)
			}
		}
		err := compare(w)
		if lost := d.Lost(); lost != nil {
			return lost
		}
		if err != nil {
			return fmt.Errorf("%w: %w", errBits, err)
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

// compare compares all results of all operations, whose memory must not have been reused.
func (inf *Inference) compare(there *onDevice) error {
	rows := inf.Batch()
	if err := there.network.Forward(rows, there.planes, there.logits, there.value); err != nil {
		return err
	}
	copy(inf.pass.planes, inf.planes)
	inf.images.last = rows
	inf.tape.play(inf.images, nil)
	for _, op := range inf.tape.operations {
		want := op.memory
		got := make([]float32, len(want))
		if err := there.network.Read(gpu.Output{From: there.network.of(want), To: got}); err != nil {
			return err
		}
		if op.tanh {
			toTanh(got)
		}
		if err := sameBits(op.name+" has", got, want); err != nil {
			return err
		}
	}
	return nil
}

// sameBits returns an error that begins with what is wrong if results differ in a bit from those wanted. All NaN are
// the same.
func sameBits(what string, got, want []float32) error {
	for i, x := range want {
		if y := got[i]; math.Float32bits(x) != math.Float32bits(y) && (x == x || y == y) {
			return fmt.Errorf("%s %v in place of %v", what, y, x)
		}
	}
	return nil
}

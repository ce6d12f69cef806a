package net

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"

	"tengen/internal/gpu"
	"tengen/internal/kernel"
	"tengen/internal/parallel"
	"tengen/internal/portable"
	"tengen/internal/random"
)

// CheckDevice computes a network of an architecture on a device and on this processor, with weights of several kinds. It
// returns an error if any operation's results differ in a bit. All NaN count as equal.
func CheckDevice(d *gpu.Device, cfg Config, shape Shape) error {
	if kernel.Name() == "go" {
		return errors.New("this processor computes in plain Go, which rounds otherwise than a device")
	}
	const rows = 18                                       // on boards of four tiles, products have more rows than a group's 64
	inf := compile(NewWeights(cfg, shape, 1), rows, rows) // without reuse, so all results stay
	if err := inf.accelerate(d, rows); err != nil {
		return err
	}
	defer inf.device.network.Close()
	rng := random.New(1, random.Weights)
	planes := inf.cut(1, rows).planes // row 0 stays empty
	for i := range planes {
		planes[i] = float32(rng.IntN(2))
	}
	return withWeights(d, rng, NewWeights(cfg, shape, 1), func(w *Weights) error { return inf.compareDevice(d, w) })
}

// CheckTraining is CheckDevice for a step: it compares losses and gradients.
func CheckTraining(d *gpu.Device, cfg Config, shape Shape) error {
	return checkTraining(d, cfg, shape, 18, 1)
}

func checkTraining(d *gpu.Device, cfg Config, shape Shape, rows, cores int) error {
	if kernel.Name() == "go" {
		return errors.New("this processor computes in plain Go, which rounds otherwise than a device")
	}
	const parts = 2
	pool := parallel.NewPool(cores)
	defer pool.Close()
	w := NewWeights(cfg, shape, 1)
	here, there := NewTrainer(w, rows, parts, pool), NewTrainer(w, rows, parts, pool)
	if err := there.accelerate(d); err != nil {
		return err
	}
	defer there.device.network.Close()
	rng := random.New(1, random.Weights)
	for _, data := range [][]float32{here.batch.Planes, here.batch.Legal} {
		for i := range data {
			data[i] = float32(rng.IntN(2))
		}
	}
	for i := range rows {
		here.batch.Legal[i*shape.Actions+rng.IntN(shape.Actions)] = 1
	}
	targets := [][]float32{here.batch.Pi, here.batch.Z}
	for _, name := range slices.Sorted(maps.Keys(here.batch.Targets)) {
		targets = append(targets, here.batch.Targets[name])
	}
	for _, data := range targets {
		for i := range data {
			data[i] = float32(rng.Float32())
		}
	}
	there.batch.CopyPart(here.batch, 0, 1)
	return withWeights(d, rng, w, func(w *Weights) error {
		here.Load(w)
		there.Load(w)
		want, _ := here.Run() // infinite losses are an error
		got, _ := there.Run()
		if there.device == nil {
			return d.Lost()
		}
		for i, t := range want.Terms {
			if math.Float32bits(t.Loss) != math.Float32bits(got.Terms[i].Loss) && t.Loss == t.Loss {
				return fmt.Errorf("the loss of %s is %v in place of %v", t.Name, got.Terms[i].Loss, t.Loss)
			}
		}
		for i, p := range here.gradients {
			for k, x := range p.Data {
				if y := there.gradients[i].Data[k]; math.Float32bits(x) != math.Float32bits(y) && !(x != x && y != y) {
					return fmt.Errorf("the gradient of %s has %v in place of %v", p.Name, y, x)
				}
			}
		}
		return nil
	})
}

// withWeights calls compare with weights of each kind, like w. An error of compare means other bits, unless the device is
// lost.
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

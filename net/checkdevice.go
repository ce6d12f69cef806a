package net

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"

	"tengen/internal/gpu"
	"tengen/internal/kernel"
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

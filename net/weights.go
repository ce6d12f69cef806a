package net

import (
	"fmt"
	"slices"

	"tengen/internal/safetensors"
)

// Param is a parameter of a network, or something in its shape, such as its gradient.
type Param = safetensors.Tensor

// Weights are the parameters of a network. Several goroutines may read them at once; whoever writes must be alone.
type Weights struct {
	Config Config
	Shape  Shape
	Params []Param // in the order of the architecture: layer by layer, the weight and then the bias
}

// newParams returns the parameters of an architecture, all zero.
func newParams(cfg Config, shape Shape) []Param {
	var params []Param
	for _, l := range layers(cfg, shape) {
		for _, p := range l.params() {
			p.Data = make([]float32, size(p.Shape))
			params = append(params, p)
		}
	}
	return params
}

// size is the number of elements of a tensor.
func size(shape []int) int {
	n := 1
	for _, d := range shape {
		n *= d
	}
	return n
}

// Clone returns an independent copy.
func (w *Weights) Clone() *Weights {
	c := &Weights{Config: w.Config, Shape: w.Shape, Params: newParams(w.Config, w.Shape)}
	c.CopyFrom(w)
	return c
}

// CopyFrom overwrites the values of w by those of from. It panics when the architectures differ.
func (w *Weights) CopyFrom(from *Weights) {
	if !w.SameArchitecture(from) {
		panic(fmt.Sprintf("net: weights of %+v for a %v copied to %+v for a %v", from.Config, from.Shape, w.Config, w.Shape))
	}
	for i := range w.Params {
		copy(w.Params[i].Data, from.Params[i].Data)
	}
}

// SameArchitecture reports whether w and v fit the same graph.
func (w *Weights) SameArchitecture(v *Weights) bool {
	return w.Shape == v.Shape && w.Config.same(v.Config)
}

// Count is the number of trainable values.
func (w *Weights) Count() int {
	n := 0
	for _, p := range w.Params {
		n += len(p.Data)
	}
	return n
}

// Finite returns an error that names the first parameter with a value that is infinite or not a number: a sign that
// training has diverged.
func (w *Weights) Finite() error {
	for _, p := range w.Params {
		if i := slices.IndexFunc(p.Data, func(x float32) bool { return !finite(x) }); i >= 0 {
			return fmt.Errorf("parameter %s is %v at index %d: training diverged, go back to an earlier checkpoint and lower the learning rate",
				p.Name, p.Data[i], i)
		}
	}
	return nil
}

// finite reports whether x is a number and not infinite: Inf-Inf and NaN-NaN are not numbers.
func finite(x float32) bool { return x-x == 0 }

// Flops is the number of floating-point operations of one evaluation, a multiplication and an addition counting as two,
// if every layer is computed as it is written down.
func (w *Weights) Flops() float64 {
	flops := 0
	for _, p := range w.Params {
		switch len(p.Shape) {
		case 4: // a convolution, at every cell
			flops += 2 * len(p.Data) * w.Shape.Height * w.Shape.Width
		case 2:
			flops += 2 * len(p.Data)
		}
	}
	return float64(flops)
}

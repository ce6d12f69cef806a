package net

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"tengen/internal/parallel"
	"tengen/internal/portable"
	"tengen/internal/random"
	"tengen/internal/safetensors"
)

// Param is a network parameter, or its gradient.
type Param = safetensors.Tensor

// Weights are a network's parameters. Writers need exclusive access.
type Weights struct {
	Config Config
	Shape  Shape
	Params []Param // by layer, weight before bias: trunk, heads, auxiliary heads (if any)
}

// NewWeights draws initial weights from the seed. It panics on an invalid configuration or shape.
//
// Weights are normal with variance gain^2 * 2 / fan-in, biases are 0. Gain 1 preserves the signal's mean square through
// ReLU layers (He et al. 2015, "Delving deep into rectifiers"). Over L residual blocks the signal would grow like 2^L.
// A gain of 1/sqrt(L) for a block's last convolution bounds the growth by (1 + 1/L)^L < e (in the spirit of Zhang,
// Dauphin, Ma 2019, "Fixup initialization").
func NewWeights(cfg Config, shape Shape, seed uint64) *Weights {
	if err := cfg.Validate(); err != nil {
		panic("net: " + err.Error())
	}
	if err := shape.check(cfg); err != nil {
		panic("net: " + err.Error())
	}
	w := &Weights{Config: cfg, Shape: shape, Params: newParams(cfg, shape, training)}
	rng := random.New(seed, random.Weights)
	params := w.Params
	for _, l := range newPlan(cfg, shape, training).layers {
		deviation := l.gain * math.Sqrt(2/float64(size(l.shape[1:])))
		weight := params[0].Data
		for j := range weight {
			weight[j] = float32(deviation * portable.Normal(rng))
		}
		params = params[len(l.params()):]
	}
	return w
}

// newParams returns zero parameters.
func newParams(cfg Config, shape Shape, why purpose) []Param {
	params := newPlan(cfg, shape, why).params()
	for i, p := range params {
		params[i].Data = make([]float32, size(p.Shape))
	}
	return params
}

// Parameters returns the number of weights of a network with auxiliary heads, without making them.
func Parameters(cfg Config, shape Shape) int { return parameters(cfg, shape, training) }

func parameters(cfg Config, shape Shape, why purpose) (n int) {
	for _, p := range newPlan(cfg, shape, why).params() {
		n += size(p.Shape)
	}
	return n
}

func size(shape []int) int {
	n := 1
	for _, d := range shape {
		n *= d
	}
	return n
}

// Clone returns an independent copy.
func (w *Weights) Clone() *Weights {
	c := &Weights{Config: w.Config, Shape: w.Shape, Params: slices.Clone(w.Params)}
	for i, p := range w.Params {
		c.Params[i].Data = slices.Clone(p.Data)
	}
	return c
}

// CopyFrom copies the values of from. It panics when the architectures differ, or when w has a head that from lacks.
func (w *Weights) CopyFrom(from *Weights) {
	if w.Shape != from.Shape || w.Config != from.Config || len(w.Params) > len(from.Params) {
		panic(fmt.Sprintf("net: %d weights of %+v for a %v copied to %d of %+v for a %v",
			len(from.Params), from.Config, from.Shape, len(w.Params), w.Config, w.Shape))
	}
	for i := range w.Params {
		copy(w.Params[i].Data, from.Params[i].Data)
	}
}

// Resized returns the weights for another board size, in the same memory. It returns an error when they fit only one
// size or the planes differ in number.
func (w *Weights) Resized(shape Shape) (*Weights, error) {
	if err := shape.check(w.Config); err != nil {
		return nil, err
	}
	return w.as(shape, w.Config)
}

// Take copies the parameters of from that a model file has; its board size may differ. If their names or shapes differ,
// it changes nothing and returns an error.
func (w *Weights) Take(from *Weights) error {
	other, err := from.as(w.Shape, w.Config)
	if err != nil {
		return err
	}
	for i, p := range other.Params {
		copy(w.Params[i].Data, p.Data)
	}
	return nil
}

// as returns the parameters of a model file, in the same memory, for another network, or an error.
func (w *Weights) as(shape Shape, cfg Config) (*Weights, error) {
	why := explaining
	if cfg.OccupancyWeight == 0 {
		why = playing
	}
	r := &Weights{Config: cfg, Shape: shape}
	if err := r.adopt(w.of(why)); err != nil {
		return nil, err
	}
	return r, nil
}

// of returns the parameters of graphs for a purpose, as far as w has them.
func (w *Weights) of(why purpose) []Param {
	return w.Params[:min(len(w.Params), len(newPlan(w.Config, w.Shape, why).params()))]
}

// has reports whether w has all parameters of graphs for a purpose.
func (w *Weights) has(why purpose) bool {
	return len(w.Params) >= len(newPlan(w.Config, w.Shape, why).params())
}

// Count returns the number of trainable values.
func (w *Weights) Count() int {
	n := 0
	for _, p := range w.Params {
		n += len(p.Data)
	}
	return n
}

// Finite returns an error that names the first parameter with an infinite or NaN value.
func (w *Weights) Finite() error {
	errs := make([]error, len(w.Params))
	parallel.For(len(errs), func(i int) {
		p := w.Params[i]
		if at := slices.IndexFunc(p.Data, func(x float32) bool { return !finite(x) }); at >= 0 {
			errs[i] = fmt.Errorf("parameter %s is %v at index %d: training diverged, go back to an earlier checkpoint and lower the learning rate",
				p.Name, p.Data[at], at)
		}
	})
	return cmp.Or(errs...)
}

// finite reports whether x is neither infinite nor NaN. If x is either, x-x is NaN.
func finite(x float32) bool { return x-x == 0 }

// Flops returns the nominal number of additions and multiplications per evaluation in play.
func (w *Weights) Flops() float64 {
	flops := 0
	for _, p := range w.of(playing) {
		switch len(p.Shape) {
		case 4: // a convolution, at every cell
			flops += 2 * len(p.Data) * w.Shape.Height * w.Shape.Width
		case 2:
			flops += 2 * len(p.Data)
		}
	}
	return float64(flops)
}

package net

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"tengen/internal/random"
	"tengen/internal/safetensors"
)

// Param is a parameter of a network, or something in its shape, such as its gradient.
type Param = safetensors.Tensor

// Weights are the parameters of a network. Several goroutines may read them at once; whoever writes must be alone.
type Weights struct {
	Config Config
	Shape  Shape
	Params []Param // layer by layer, the weight and then the bias, if any: first the trunk, last auxiliary heads, which models lack
}

// NewWeights draws the initial weights of a network from the seed. It panics on a configuration or shape that is not
// valid.
//
// Weights are normal with variance gain^2 * 2 / fan-in, biases are 0. With gain 1 this keeps the mean square of the
// signal from layer to layer where a ReLU follows (He et al. 2015, "Delving deep into rectifiers"). A residual block adds
// its branch to what it was given, so the signal of L blocks would grow like 2^L: the last convolution of a block has
// gain 1/sqrt(L), which bounds the growth by (1 + 1/L)^L < e and makes batch normalisation dispensable (in the spirit of
// Zhang, Dauphin, Ma 2019, "Fixup initialization").
func NewWeights(cfg Config, shape Shape, seed uint64) *Weights {
	if err := cfg.Validate(); err != nil {
		panic("net: " + err.Error())
	}
	if err := shape.check(cfg); err != nil {
		panic("net: " + err.Error())
	}
	w := &Weights{Config: cfg.canonical(), Shape: shape, Params: newParams(cfg, shape, true)}
	rng := random.New(seed, random.Weights)
	params := w.Params
	for _, l := range newPlan(cfg, shape, true).layers {
		deviation := l.gain * math.Sqrt(2/float64(size(l.shape[1:])))
		weight := params[0].Data
		for j := range weight {
			weight[j] = float32(deviation * rng.NormFloat64())
		}
		params = params[len(l.params()):]
	}
	return w
}

// newParams returns the parameters of a network, all zero, those of auxiliary heads only if it is to learn.
func newParams(cfg Config, shape Shape, learn bool) []Param {
	var params []Param
	for _, l := range newPlan(cfg, shape, learn).layers {
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
	c := &Weights{Config: w.Config, Shape: w.Shape, Params: slices.Clone(w.Params)}
	for i, p := range w.Params {
		c.Params[i].Data = slices.Clone(p.Data)
	}
	return c
}

// SeesLastMove reports whether what the network says of a position depends on which of its moves was the last.
func (w *Weights) SeesLastMove() bool { return seesLastMove(w.Config, w.Shape) }

// CopyFrom overwrites the values of w by those of from. It panics when the architectures differ, or from lacks auxiliary heads
// that w has.
func (w *Weights) CopyFrom(from *Weights) {
	if !w.SameArchitecture(from) || len(w.Params) > len(from.Params) {
		panic(fmt.Sprintf("net: %d weights of %+v for a %v copied to %d of %+v for a %v",
			len(from.Params), from.Config, from.Shape, len(w.Params), w.Config, w.Shape))
	}
	for i := range w.Params {
		copy(w.Params[i].Data, from.Params[i].Data)
	}
}

// Resized returns the weights that play on boards of another size, in the same memory. An error says that they fit no other size,
// see Config.AnySize, or that the shape has other planes.
func (w *Weights) Resized(shape Shape) (*Weights, error) {
	if err := shape.check(w.Config); err != nil {
		return nil, err
	}
	r := &Weights{Config: w.Config, Shape: shape}
	if err := r.adopt(w.playing()); err != nil {
		return nil, err
	}
	return r, nil
}

// Take overwrites the parameters that play by those of from, whatever its shape; auxiliary heads, which models lack, keep theirs.
// If not all of them agree, nothing is changed, and the error names those that do not.
func (w *Weights) Take(from *Weights) error {
	given := make(map[string]Param)
	for _, p := range from.playing() {
		given[p.Name] = p
	}
	var differ []string
	for _, p := range w.playing() {
		switch other, ok := given[p.Name]; {
		case !ok:
			differ = append(differ, p.Name+" is here alone")
		case !slices.Equal(p.Shape, other.Shape):
			differ = append(differ, fmt.Sprintf("%s is %v there and %v here", p.Name, other.Shape, p.Shape))
		}
	}
	for _, p := range from.playing() {
		if !slices.ContainsFunc(w.Params, func(own Param) bool { return own.Name == p.Name }) {
			differ = append(differ, p.Name+" is there alone")
		}
	}
	if len(differ) > 0 {
		return fmt.Errorf("parameters differ: %s", strings.Join(differ, ", "))
	}
	for _, p := range w.playing() {
		copy(p.Data, given[p.Name].Data)
	}
	return nil
}

// playing are the parameters that a network needs to play: all but those of auxiliary heads.
func (w *Weights) playing() []Param {
	n := 0
	for _, l := range newPlan(w.Config, w.Shape, false).layers {
		n += len(l.params())
	}
	return w.Params[:n]
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

// Flops is the number of floating-point operations of one evaluation in play, a multiplication and an addition counting as two,
// if every layer is computed as it is written down.
func (w *Weights) Flops() float64 {
	flops := 0
	for _, p := range w.playing() {
		switch len(p.Shape) {
		case 4: // a convolution, at every cell
			flops += 2 * len(p.Data) * w.Shape.Height * w.Shape.Width
		case 2:
			flops += 2 * len(p.Data)
		}
	}
	return float64(flops)
}

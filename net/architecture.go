package net

import (
	"fmt"
	"math"

	"tengen/game"
	"tengen/internal/random"
)

// layer is a convolution or a dense layer: a weight and a bias.
type layer struct {
	name   string
	weight []int   // [out, in, 3, 3] or [out, in, 1, 1] of a convolution, [out, in] of a dense layer; the bias is [out]
	gain   float64 // scale of the initial weights, see NewWeights
}

// params are the layer's parameters, without values.
func (l layer) params() [2]Param {
	return [2]Param{
		{Name: l.name + ".weight", Shape: l.weight},
		{Name: l.name + ".bias", Shape: l.weight[:1:1]},
	}
}

// layers is the one list of what an architecture consists of, in the order of its parameters.
func layers(cfg Config, shape Shape) []layer {
	var list []layer
	add := func(gain float64, name string, weight ...int) {
		list = append(list, layer{name: name, weight: weight, gain: gain})
	}
	width := game.Planes // channels so far
	for i, channels := range cfg.Stack {
		add(1, stackName(i), channels, width, 3, 3)
		width = channels
	}
	if len(cfg.Stack) == 0 {
		add(1, stemName, cfg.Channels, width, 3, 3)
		width = cfg.Channels
		for i := range cfg.Blocks {
			add(1, blockName(i, 1), width, width, 3, 3)
			add(1/math.Sqrt(float64(cfg.Blocks)), blockName(i, 2), width, width, 3, 3)
		}
	}
	cells := shape.Height * shape.Width
	add(1, policyConv, cfg.PolicyChannels, width, 1, 1)
	add(headGain, policyOut, shape.Actions, cfg.PolicyChannels*cells)
	add(1, valueConv, cfg.ValueChannels, width, 1, 1)
	add(1, valueHidden, cfg.ValueHidden, cfg.ValueChannels*cells)
	add(headGain, valueOut, 1, cfg.ValueHidden)
	return list
}

// Names of layers.
const (
	stemName    = "stem"
	policyConv  = "policy.conv"
	policyOut   = "policy.out"
	valueConv   = "value.conv"
	valueHidden = "value.hidden"
	valueOut    = "value.out"
)

// stackName is the i-th convolution, from 0, of a plain stack.
func stackName(i int) string { return fmt.Sprintf("stack.conv%d", i+1) }

// blockName is convolution 1 or 2 of the i-th residual block, from 0.
func blockName(i, conv int) string { return fmt.Sprintf("block%d.conv%d", i+1, conv) }

// headGain keeps the first policy near uniform and the first value near 0, so that the search starts without prejudice.
const headGain = 0.1

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
	if err := shape.validate(); err != nil {
		panic("net: " + err.Error())
	}
	w := &Weights{Config: cfg.canonical(), Shape: shape, Params: newParams(cfg, shape)}
	rng := random.New(seed, random.Weights)
	for i, l := range layers(cfg, shape) {
		deviation := l.gain * math.Sqrt(2/float64(size(l.weight[1:])))
		weight := w.Params[2*i].Data
		for j := range weight {
			weight[j] = float32(deviation * rng.NormFloat64())
		}
	}
	return w
}

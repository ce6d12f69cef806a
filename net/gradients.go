package net

import (
	"slices"

	"gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// ValueGrads pairs parameters with their gradients for a gorgonia.Solver. It does not copy them: the solver's step
// changes the parameters and zeroes the gradients. ValueGrads panics when the lists do not match.
func ValueGrads(params, gradients []Param) []gorgonia.ValueGrad {
	if !slices.EqualFunc(params, gradients, func(p, g Param) bool { return slices.Equal(p.Shape, g.Shape) }) {
		panic("net: parameters with gradients of other shapes")
	}
	var pairs []gorgonia.ValueGrad
	for i, p := range params {
		pairs = append(pairs, valueGrad{asTensor(p), asTensor(gradients[i])})
	}
	return pairs
}

type valueGrad struct{ value, gradient *tensor.Dense }

// Value returns the parameter.
func (v valueGrad) Value() gorgonia.Value { return v.value }

// Grad returns the gradient; the error is always nil.
func (v valueGrad) Grad() (gorgonia.Value, error) { return v.gradient, nil }

// asTensor returns a tensor in the memory of p.
func asTensor(p Param) *tensor.Dense {
	return tensor.New(tensor.WithShape(p.Shape...), tensor.WithBacking(p.Data))
}

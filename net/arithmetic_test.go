package net

import (
	"slices"
	"testing"

	"tengen/internal/kernel"
	"tengen/internal/random"
)

// All instruction sets with the same arithmetic give the same bits, and plain Go gives others.
func TestArithmetic(t *testing.T) {
	defer kernel.Use(kernel.Name())
	for _, a := range architectures {
		w, rng := randomWeights(a, 3), random.New(5, random.Test)
		planes := make([]float32, 2*a.shape.inputLen())
		for i := range planes {
			planes[i] = rng.Float32()
		}
		outputs := map[string][]float32{}
		for _, set := range kernel.Names() {
			kernel.Use(set)
			inf := NewInference(w, 2)
			for i := range 2 {
				copy(inf.Input(i), planes[i*a.shape.inputLen():])
			}
			inf.Forward(2)
			got := slices.Concat(inf.Logits(0), inf.Logits(1), []float32{inf.Value(0), inf.Value(1)})
			if want, ok := outputs[Arithmetic()]; ok && !slices.Equal(got, want) {
				t.Errorf("%s: %s has other bits than the sets before it", a.name, set)
			}
			outputs[Arithmetic()] = got
		}
		if len(kernel.Names()) > 1 && len(outputs) != 2 {
			t.Errorf("the arithmetics of %v have %d names", kernel.Names(), len(outputs))
		}
	}
}

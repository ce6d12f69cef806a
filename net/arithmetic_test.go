package net

import (
	"slices"
	"testing"

	"tengen/internal/kernel"
	"tengen/internal/random"
)

// An inference by a named instruction set has the bits of one in a process that uses the set throughout, whatever is in
// use here; and the sets differ, or there would be no need to name them.
func TestInferenceOnASet(t *testing.T) {
	defer kernel.Use(kernel.Name())
	for _, a := range architectures {
		w, rng := randomWeights(a, 3), random.New(5, random.Test)
		planes := make([]float32, 2*a.shape.inputLen())
		for i := range planes {
			planes[i] = rng.Float32()
		}
		outputs := func(inf *Inference) []float32 {
			for i := range 2 {
				copy(inf.Input(i), planes[i*a.shape.inputLen():])
			}
			inf.Forward(2)
			return slices.Concat(inf.Logits(0), inf.Logits(1), []float32{inf.Value(0), inf.Value(1)})
		}
		different := false
		for _, set := range kernel.Names() {
			kernel.Use(set)
			want := outputs(NewInference(w, 2))
			for _, used := range kernel.Names() {
				kernel.Use(used)
				if got := outputs(newInference(kernel.Named(set), w, 2)); !slices.Equal(got, want) {
					t.Errorf("%+v: %s where %s is in use has other bits than %s", a.cfg, set, used, set)
				}
				different = different || !slices.Equal(outputs(NewInference(w, 2)), want)
			}
		}
		if !different && len(kernel.Names()) > 1 && a.cfg.Channels >= kernel.Lanes {
			t.Errorf("%+v: all sets have the same bits", a.cfg)
		}
	}
}

// What this process plays, it can repeat.
func TestRepeats(t *testing.T) {
	if set, ok := Repeats(Arithmetic()); !ok || set != kernel.Name() {
		t.Errorf("%s is that of %q, %v", Arithmetic(), set, ok)
	}
	if _, ok := Repeats(""); ok {
		t.Error("an unknown arithmetic can be repeated")
	}
}

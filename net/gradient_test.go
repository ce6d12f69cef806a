package net

import (
	"fmt"
	"math"
	"testing"

	"tengen/internal/fulltest"
	"tengen/internal/kernel"
	"tengen/internal/random"
)

// TestGradients compares the gradient of the whole loss with central differences of the reference in float64, at every
// element of every parameter, or some of them where there are many, for every set of kernels.
func TestGradients(t *testing.T) {
	defer kernel.Use(kernel.Name())
	for _, a := range architectures {
		for _, rows := range []int{1, 3} {
			w := randomWeights(a, 11)
			b := newBatch(a.shape, rows, random.New(12, random.Test))
			r := newReference(w)
			want := r.gradients(func() float64 { return r.total(b) })
			for _, set := range kernel.Names() {
				t.Run(fmt.Sprintf("%s/%s/%d rows", set, a.name, rows), func(t *testing.T) {
					kernel.Use(set)
					trainer := newTrainer(w, rows, 1)
					give(trainer, b)
					run(t, trainer)
					checkGradients(t, trainer, r, want)
				})
			}
		}
	}
}

// gradients are central differences of the total loss, a function of the parameters, by the index of the element.
func (r *reference) gradients(total func() float64) map[string]map[int]float64 {
	const h = 1e-6
	all := map[string]map[int]float64{}
	for name, x := range r.params {
		all[name] = map[int]float64{}
		for j := 0; j < len(x); j += 1 + len(x)/fulltest.Pick(10, 30) {
			at := x[j]
			x[j] = at + h
			up := total()
			x[j] = at - h
			down := total()
			x[j] = at
			all[name][j] = (up - down) / (2 * h)
		}
	}
	return all
}

// checkGradients compares the gradients of a trainer's last run with the reference's.
func checkGradients(t *testing.T, trainer *Trainer, r *reference, want map[string]map[int]float64) {
	t.Helper()
	if len(trainer.Gradients()) != len(r.params) {
		t.Fatalf("%d gradients of %d parameters", len(trainer.Gradients()), len(r.params))
	}
	for _, g := range trainer.Gradients() {
		if len(g.Data) != len(r.params[g.Name]) {
			t.Fatalf("the gradient of %s has %d elements, want %d", g.Name, len(g.Data), len(r.params[g.Name]))
		}
		for j, want := range want[g.Name] {
			if !near(float64(g.Data[j]), want, 3e-4) {
				t.Errorf("gradient of %s[%d] is %v, want %v", g.Name, j, g.Data[j], want)
			}
		}
	}
}

// TestSlope compares the gradient with the change of the reference's loss along a random direction, which takes in
// every element.
func TestSlope(t *testing.T) {
	const h, rows = 1e-8, 6
	for _, a := range architectures {
		w := randomWeights(a, 13)
		rng := random.New(14, random.Test)
		b := newBatch(a.shape, rows, rng)
		trainer := newTrainer(w, rows, 1)
		give(trainer, b)
		run(t, trainer)
		r := newReference(w)
		slope := 0.0
		direction := make([][]float64, len(w.Params))
		for i, g := range trainer.Gradients() {
			direction[i] = make([]float64, len(g.Data))
			for j, x := range g.Data {
				direction[i][j] = rng.NormFloat64()
				slope += direction[i][j] * float64(x)
			}
		}
		shifted := func(h float64) float64 {
			for i, p := range w.Params {
				for j, x := range p.Data {
					r.params[p.Name][j] = float64(x) + h*direction[i][j]
				}
			}
			return r.total(b)
		}
		if want := (shifted(h) - shifted(-h)) / (2 * h); math.Abs(slope-want) > 1e-3*max(1, math.Abs(want)) {
			t.Errorf("%s: slope %v, want %v", a.name, slope, want)
		}
	}
}

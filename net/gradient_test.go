package net

import (
	"math"
	"testing"

	"gorgonia.org/tensor"

	"tengen/internal/random"
)

// gradients64 is the gradient of the whole loss by Gorgonia in float64, in the order of the parameters.
func gradients64(t *testing.T, w *Weights, b Batch, c float64) [][]float64 {
	t.Helper()
	rows := len(b.Z)
	n := newNetwork(w.Config, w.Shape, rows, tensor.Float64)
	l := n.addLoss(c)
	m := newMachine(n)
	defer m.close()
	set := func(dst []float64, src []float32) { copy(dst, doubles(src)) }
	for i, p := range n.params {
		set(p.Value().Data().([]float64), w.Params[i].Data)
	}
	set(n.planes.Value().Data().([]float64), b.Planes)
	set(l.pi.Value().Data().([]float64), b.Pi)
	set(l.z.Value().Data().([]float64), b.Z)
	mask := l.mask.Value().Data().([]float64)
	for i, legal := range b.Legal {
		mask[i] = float64(1-legal) * illegal
	}
	if err := m.run(); err != nil {
		t.Fatal(err)
	}
	gradients := make([][]float64, len(n.params))
	for i, p := range n.params {
		g, err := p.Grad()
		if err != nil {
			t.Fatal(err)
		}
		gradients[i] = g.Data().([]float64)
	}
	return gradients
}

// TestGradients compares the gradient of the whole loss with central differences of the reference, in float64, at every
// element of every parameter, or 100 of them where there are more.
func TestGradients(t *testing.T) {
	const c, h = 0.01, 1e-6
	for _, a := range architectures {
		for _, rows := range []int{1, 3} {
			w := randomWeights(a, 11)
			b := newBatch(a.shape, rows, random.New(12))
			got := gradients64(t, w, b, c)
			r := newReference(w)
			total := func() float64 { _, _, _, total, _ := r.losses(b, c); return total }
			for i, p := range w.Params {
				x := r.params[p.Name]
				if len(got[i]) != len(x) {
					t.Fatalf("%s: gradient of %s has %d elements, want %d", a.name, p.Name, len(got[i]), len(x))
				}
				for j := 0; j < len(x); j += 1 + len(x)/100 {
					at := x[j]
					x[j] = at + h
					up := total()
					x[j] = at - h
					down := total()
					x[j] = at
					if want := (up - down) / (2 * h); !near(got[i][j], want, 1e-6) {
						t.Errorf("%s, %d rows: gradient of %s[%d] is %v, want %v", a.name, rows, p.Name, j, got[i][j], want)
					}
				}
			}
		}
	}
}

// TestTrainerGradient compares the gradients of a Trainer, in float32, with those in float64 and with the change of the
// reference's loss along a random direction.
func TestTrainerGradient(t *testing.T) {
	const c, h, rows = 0.01, 1e-5, 6
	for _, a := range architectures {
		w := randomWeights(a, 13)
		rng := random.New(14)
		b := newBatch(a.shape, rows, rng)
		trainer := NewTrainer(w, rows, c)
		b.copyTo(trainer)
		run(t, trainer)

		exact := gradients64(t, w, b, c)
		r := newReference(w)
		slope := 0.0
		direction := make([][]float64, len(w.Params))
		for i, g := range trainer.Gradients() {
			if p := w.Params[i]; g.Name != p.Name || len(g.Data) != len(p.Data) {
				t.Fatalf("%s: gradient %d is %s with %d elements", a.name, i, g.Name, len(g.Data))
			}
			direction[i] = make([]float64, len(g.Data))
			for j, x := range g.Data {
				if !near(float64(x), exact[i][j], 1e-4) {
					t.Errorf("%s: gradient of %s[%d] is %v, want %v", a.name, g.Name, j, x, exact[i][j])
				}
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
			_, _, _, total, _ := r.losses(b, c)
			return total
		}
		if want := (shifted(h) - shifted(-h)) / (2 * h); math.Abs(slope-want) > 1e-3*max(1, math.Abs(want)) {
			t.Errorf("%s: slope %v, want %v", a.name, slope, want)
		}
		trainer.Close()
	}
}

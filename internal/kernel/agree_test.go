package kernel_test

import (
	"slices"
	"testing"

	"tengen/internal/fulltest"
	"tengen/internal/kernel"
)

// TestSetsAgree compares the results of all instruction sets with those of plain Go.
func TestSetsAgree(t *testing.T) {
	if len(kernel.Names()) == 1 {
		t.Skip("plain Go alone runs here")
	}
	defer kernel.Use(kernel.Name())
	for number, c := range convolutions() {
		offsets := [8]int{}
		for i := range offsets {
			offsets[i] = (3*number + i) % 16
		}
		want := map[string]estimates{}
		for _, name := range slices.Backward(kernel.Names()) { // from plain Go on
			kernel.Use(name)
			y, dx, dweight := c.runAt(offsets)
			for _, result := range []struct {
				name string
				got  []float32
				size []float64
			}{
				{"y", y, c.finished(ending{bias: true, residual: true}).size},
				{"dx", dx, c.dx.size},
				{"dweight", dweight, c.dweight.size},
			} {
				if name == "go" {
					want[result.name] = estimates{exact: float64s(result.got), size: result.size}
				}
				if ratio, at := want[result.name].worst(result.got); !(ratio <= winogradTolerance) {
					t.Errorf("%s, %v: %s[%d] = %v, but plain Go has %v", name, c, result.name, at, result.got[at], want[result.name].exact[at])
				}
			}
		}
	}
}

// TestProductsAgree compares random products, transposed and not, with those of plain Go.
func TestProductsAgree(t *testing.T) {
	if len(kernel.Names()) == 1 {
		t.Skip("plain Go alone runs here")
	}
	defer kernel.Use(kernel.Name())
	rng := newRand(70)
	for range 300 / fulltest.Pick(10, 1) {
		p := product{m: 1 + rng.IntN(80), n: 1 + rng.IntN(200), k: 1 + rng.IntN(200), colA: 1}
		p.rowA, p.ldb, p.ldc = p.k, p.n, p.n
		if rng.IntN(2) == 0 {
			p.rowA, p.colA = 1, p.m
		}
		var mem memory
		a, b := p.operands(rng, &mem, fill)
		c := mem.floats(p.lenC(), rng.IntN(16))
		kernel.Use("go")
		kernel.Multiply(p.m, p.n, p.k, a, p.rowA, p.colA, b, p.ldb, c, p.ldc)
		want := estimates{exact: float64s(c), size: make([]float64, len(c))}
		for i := range want.size {
			_, want.size[i] = p.at(a, b, i/p.n, i%p.n)
		}
		for _, name := range kernel.Names() {
			kernel.Use(name)
			kernel.Multiply(p.m, p.n, p.k, a, p.rowA, p.colA, b, p.ldb, c, p.ldc)
			if ratio, at := want.worst(c); !(ratio <= 1e-5) {
				t.Errorf("%s, %v: c[%d] = %v, but plain Go has %v", name, p, at, c[at], want.exact[at])
			}
		}
	}
}

func float64s(s []float32) []float64 {
	wide := make([]float64, len(s))
	for i, v := range s {
		wide[i] = float64(v)
	}
	return wide
}

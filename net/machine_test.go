package net

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"gorgonia.org/gorgonia"
	"gorgonia.org/tensor"

	"tengen/internal/random"
)

// TestCheckHashes searches for two inputs with the same hash of 32 bits: a graph with both must be refused.
func TestCheckHashes(t *testing.T) {
	g := gorgonia.NewGraph()
	checkHashes(g)
	defer func() {
		if message := fmt.Sprint(recover()); !strings.Contains(message, "cannot tell") {
			t.Errorf("a graph of %d nodes: %v", len(g.AllNodes()), message)
		}
	}()
	rng := random.New(71)
	for range 1 << 17 { // two pairs are expected
		gorgonia.NewVector(g, tensor.Float32, gorgonia.WithName(fmt.Sprint(rng.Uint64())), gorgonia.WithShape(1))
	}
	checkHashes(g)
}

// TestValuesAreKept checks that a graph computes what it says where Gorgonia by itself does not: the gradient of the
// squares of a reshaped tanh, which it computes in the memory of the tanh that it still needs.
func TestValuesAreKept(t *testing.T) {
	g := gorgonia.NewGraph()
	n := &network{graph: g}
	n.planes = n.input("planes", 1)
	x := n.input("x", 2, 1)
	copy(floats(x.Value()), []float32{0.5, -1})
	total := sumOfSquares(gorgonia.Must(gorgonia.Tanh(x)))
	if _, err := gorgonia.Grad(total, x); err != nil {
		t.Fatal(err)
	}
	if err := newMachine(n).run(); err != nil {
		t.Fatal(err)
	}
	gradient, err := x.Grad()
	if err != nil {
		t.Fatal(err)
	}
	for i, at := range []float64{0.5, -1} {
		y := math.Tanh(at)
		if got, want := float64(floats(gradient)[i]), 2*y*(1-y*y); !near(got, want, 1e-6) {
			t.Errorf("gradient at %v is %v, want %v", at, got, want)
		}
	}
}

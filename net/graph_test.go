package net

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	"gorgonia.org/gorgonia"

	"tengen/internal/random"
)

// TestDistinct searches for two inputs with the same hash of 32 bits: a graph with both must be built again.
func TestDistinct(t *testing.T) {
	var salts []string
	n := distinct(func(salt string) *network {
		salts = append(salts, salt)
		n := &network{graph: newGraph(salt)}
		if salt == "" {
			rng := random.New(71, random.Test)
			for range 1 << 17 { // two pairs are expected
				n.input(fmt.Sprint(rng.Uint64()), 1)
			}
		}
		n.input("x", 1)
		return n
	})
	if len(salts) != 2 || salts[0] == salts[1] || n.salt != salts[1] || len(n.graph.nodes.AllNodes()) != 1 {
		t.Errorf("built with the salts %q, returned the graph of %q with %d nodes", salts, n.salt, len(n.graph.nodes.AllNodes()))
	}
}

// TestSaltChangesHashes checks that the salt is a new draw for every node of a graph.
func TestSaltChangesHashes(t *testing.T) {
	a := architectures[0]
	seen := map[uint32]bool{}
	for _, n := range newNetwork(a.cfg, a.shape, playing, 2, "").graph.nodes.AllNodes() {
		seen[n.Hashcode()] = true
	}
	for _, n := range newNetwork(a.cfg, a.shape, playing, 2, "'").graph.nodes.AllNodes() {
		if seen[n.Hashcode()] {
			t.Errorf("%v has the same hash with another salt", n)
		}
	}
}

// TestValuesAreKept checks that a graph computes what it says where Gorgonia by itself does not: the gradient of the
// squares of a reshaped tanh, which it computes in the memory of the tanh that it still needs.
func TestValuesAreKept(t *testing.T) {
	g := newGraph("")
	g.input("planes", 1)
	x := g.input("x", 2, 1)
	copy(memory(x), []float32{0.5, -1})
	squares := gorgonia.Must(gorgonia.Square(reshape(gorgonia.Must(gorgonia.Tanh(x)), 2)))
	gradients := g.differentiate([]*node{sum(squares)}, []*node{x})
	if err := newMachine(g, imageRange{last: 2, batch: 2}).RunAll(); err != nil {
		t.Fatal(err)
	}
	dx := memory(gradients[0])
	for i, at := range []float64{0.5, -1} {
		y := math.Tanh(at)
		if got, want := float64(dx[i]), 2*y*(1-y*y); !near(got, want, 1e-6) {
			t.Errorf("gradient at %v is %v, want %v", at, got, want)
		}
	}
}

// TestTape checks that playing the tape, whose results share memory, gives the bits of Gorgonia's machine, for inputs
// and weights that it was not recorded with.
func TestTape(t *testing.T) {
	const batch = 3
	for _, a := range architectures {
		var networks [2]*network
		var losses [2]*loss
		for i := range networks {
			networks[i] = newNetwork(a.cfg, a.shape, training, batch, "")
			losses[i] = networks[i].addLoss(batch)
		}
		whole := networks[0].builder.whole()
		tape, machine := record(networks[0].graph, whole), newMachine(networks[1].graph, whole)
		before := footprint(tape)
		var kept [][]float32
		for _, n := range append(slices.Collect(maps.Values(networks[0].outputs)), losses[0].gradients...) {
			kept = append(kept, memory(n))
		}
		tape.reuse(true, kept...)
		if after := footprint(tape); after >= before {
			t.Errorf("%s: results take %d floats in shared memory, %d before", a.name, after, before)
		}
		for seed := range uint64(3) {
			b := newBatch(a.shape, batch, random.New(seed, random.Test))
			for i, n := range networks {
				n.bind().CopyFrom(randomWeights(a, seed))
				n.builder.update(whole.scratch)
				copy(memory(n.planes), b.Planes)
				copy(memory(losses[i].pi), b.Pi)
				copy(memory(losses[i].z), b.Z)
			}
			tape.play(whole, nil)
			for _, op := range tape.sums() {
				op.compute(whole)
			}
			if err := machine.RunAll(); err != nil {
				t.Fatal(err)
			}
			machine.Reset()
			for name, n := range networks[0].outputs {
				if !slices.Equal(memory(n), memory(networks[1].outputs[name])) {
					t.Errorf("%s: the tape and Gorgonia's machine differ in %s", a.name, name)
				}
			}
			for i, g := range losses[0].gradients {
				if !slices.Equal(memory(g), memory(losses[1].gradients[i])) {
					t.Errorf("%s: the tape and Gorgonia's machine differ in gradient %d", a.name, i)
				}
			}
		}
	}
}

// footprint is the number of floats in a tape's results.
func footprint(t tape) (floats int) {
	seen := make(map[*float32]bool)
	for _, op := range t.operations {
		if first := &op.memory[0]; !seen[first] {
			seen[first] = true
			floats += len(op.memory)
		}
	}
	return floats
}

// TestAdditions checks that Gorgonia's additions are on the tape, and that it refuses a graph with anything else that
// Gorgonia computes, instead of leaving it out or adding.
func TestAdditions(t *testing.T) {
	type binary = func(x, y *node) (*node, error)
	for name, test := range map[string]struct {
		compute binary
		want    []float32 // nil: refused
	}{
		"addition":   {gorgonia.Add, []float32{13, 25}},
		"twice":      {func(x, _ *node) (*node, error) { return gorgonia.Add(x, x) }, []float32{6, 10}},
		"difference": {gorgonia.Sub, nil},
		"product":    {gorgonia.HadamardProd, nil},
		"square":     {func(x, _ *node) (*node, error) { return gorgonia.HadamardProd(x, x) }, nil},
		"quotient":   {gorgonia.HadamardDiv, nil},
		"comparison": {func(x, y *node) (*node, error) { return gorgonia.Gt(x, y, true) }, nil},
		"tanh":       {func(x, _ *node) (*node, error) { return gorgonia.Tanh(x) }, nil},
	} {
		g := newGraph("")
		x, y := g.input("x", 2), g.input("y", 2)
		copy(memory(x), []float32{3, 5})
		copy(memory(y), []float32{10, 20})
		z := gorgonia.Must(test.compute(x, y))
		whole := imageRange{last: 2, batch: 2}
		if test.want == nil {
			wantPanic(t, name, "is neither an operation of this package nor an addition", func() { record(g, whole) })
			continue
		}
		tape := record(g, whole)
		clear(memory(z))
		tape.play(whole, nil)
		if len(tape.operations) != 1 || !slices.Equal(memory(z), test.want) {
			t.Errorf("%s: %d operations give %v, want %v", name, len(tape.operations), memory(z), test.want)
		}
	}
}

// TestOrderOfDifferentiation checks that a shortcut from a convolution to one that is differentiated earlier is refused:
// its gradient would be lost.
func TestOrderOfDifferentiation(t *testing.T) {
	g := newGraph("")
	b := &builder{height: 1, width: 1, batch: 1, masked: make(map[*node]*node)}
	x, weight, bias := g.input("x", 1, 1), g.input("weight", 1, 1, 3, 3), g.input("bias", 1)
	early := new(shortcut)
	h := b.convolution(x, weight, bias, skip{sendTo: early})
	y := b.convolution(h, weight, bias, skip{addFrom: early})
	wantPanic(t, "backwards", "a convolution was differentiated before the one whose shortcut", func() {
		g.differentiate([]*node{sum(y)}, []*node{weight})
	})
}

func wantPanic(t *testing.T, name, want string, f func()) {
	t.Helper()
	defer func() {
		if got := fmt.Sprint(recover()); !strings.Contains(got, want) {
			t.Errorf("%s: panic %s, want one that says %q", name, got, want)
		}
	}()
	f()
}

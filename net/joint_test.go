package net

import (
	"slices"
	"testing"

	"tengen/internal/kernel"
)

// TestHeadsTogether checks that the heads' convolutions, computed as one product, have the bits of each alone.
func TestHeadsTogether(t *testing.T) {
	const batch = 3
	defer kernel.Use(kernel.Name())
	for _, a := range architectures {
		for _, name := range kernel.Names() {
			kernel.Use(name)
			inf := NewInference(randomWeights(a, 11), batch)
			n := inf.network
			alone := &builder{height: a.shape.Height, width: a.shape.Width, batch: batch}
			for l, i := range n.builder.headColumns {
				layer, _ := alone.product(n.trunk, l.weight, l.bias, rectifier)
				whole := alone.whole()
				alone.update(whole.scratch)
				checked := 0
				for _, op := range inf.tape.operations {
					if len(op.inputs) != 4 || op.inputs[1] != l.weight {
						continue
					}
					run := op.run
					op.run = func(in [][]float32, result []float32, r imageRange) {
						run(in, result, r)
						want := make([]float32, len(result))
						layer(in, want, whole)
						checked++
						if !slices.Equal(result, want) {
							t.Errorf("%s on %s: the layer from column %d on has other bits alone", a.name, name, i)
						}
					}
				}
				for run := range uint64(2) {
					fillInputs(inf, run)
					inf.Forward(batch)
				}
				if checked != 2 {
					t.Errorf("%s: the layer from column %d on ran %d times", a.name, i, checked)
				}
			}
		}
	}
}

// TestLoadFrom checks that an Inference with shared filters gives their owner's bits, on one copy of them, and that a
// Load of one does not change the other.
func TestLoadFrom(t *testing.T) {
	a := architectures[0]
	outputs := func(inf *Inference) []float32 {
		fillInputs(inf, 9)
		inf.Forward(1)
		return append(slices.Clone(inf.Logits(0)), inf.Value(0))
	}
	first, second := randomWeights(a, 7), randomWeights(a, 8)
	of := map[*Weights][]float32{first: outputs(NewInference(first, 1)), second: outputs(NewInference(second, 1))}
	for _, ownerLoads := range []bool{false, true} {
		owner, sharer := NewInference(first, 1), NewInference(second, 4)
		sharer.LoadFrom(owner)
		for i, packed := range owner.network.builder.packed {
			if &packed.memory[0] != &sharer.network.builder.packed[i].memory[0] {
				t.Errorf("filter %d has two copies", i)
			}
		}
		if !slices.Equal(outputs(sharer), of[first]) {
			t.Error("the sharer has other bits than the owner")
		}
		loads, stays := sharer, owner
		if ownerLoads {
			loads, stays = owner, sharer
		}
		loads.Load(second)
		if !slices.Equal(outputs(loads), of[second]) || !slices.Equal(outputs(stays), of[first]) {
			t.Errorf("after a Load (owner's: %v), one of the two has wrong weights", ownerLoads)
		}
	}
}

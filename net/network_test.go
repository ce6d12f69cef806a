package net

import (
	"math"
	"slices"
	"sync"
	"testing"

	"tengen/internal/errtest"
	"tengen/internal/random"
)

// TestForwardAgainstReference compares logits and values with plain loops.
func TestForwardAgainstReference(t *testing.T) {
	for _, a := range architectures {
		for _, batch := range []int{1, 2, 7} {
			checkForward(t, a.name, randomWeights(a, 1), batch)
		}
	}
}

func checkForward(t *testing.T, name string, w *Weights, batch int) {
	t.Helper()
	inf := NewInference(w, batch)
	fillInputs(inf, 2)
	inf.Forward(batch)
	r := newReference(w)
	for i := range batch {
		logits, value := r.forward(doubles(inf.Input(i)))
		if !near(float64(inf.Value(i)), value, 1e-4) {
			t.Errorf("%s, row %d of %d: value %v, want %v", name, i, batch, inf.Value(i), value)
		}
		for j, x := range inf.Logits(i) {
			if !near(float64(x), logits[j], 1e-4) {
				t.Errorf("%s, row %d of %d: logit %d is %v, want %v", name, i, batch, j, x, logits[j])
			}
		}
	}
}

// fillInputs writes random planes into every row.
func fillInputs(inf *Inference, seed uint64) {
	rng := random.New(seed, random.Test)
	for i := range inf.Batch() {
		for j := range inf.Input(i) {
			inf.Input(i)[j] = float32(rng.IntN(2))
		}
	}
}

// TestRowsAreIndependent checks that a position gets the same bits in every row, in company and alone, and in batches of
// every size. Neither allocates.
func TestRowsAreIndependent(t *testing.T) {
	for _, a := range []architecture{
		{"dense", Config{Blocks: 2, Channels: 20, PolicyHead: HeadDense, PolicyChannels: 3, ValueHead: HeadDense, ValueChannels: 2, ValueHidden: 21},
			Shape{5, 5, 26, 4, 0}},
		{"any size", anySize(), Shape{9, 7, 63, 4, 0}},
		{"moves of pieces", anySize(), Shape{5, 7, 107, 4, 2}},
	} {
		const batch = 9
		w := randomWeights(a, 3)
		alone := NewInference(w, 1)
		fillInputs(alone, 4)
		position := slices.Clone(alone.Input(0))
		alone.Forward(1)
		check := func(inf *Inference, row, n int) {
			t.Helper()
			copy(inf.Input(row), position)
			inf.Forward(n)
			if !slices.Equal(inf.Logits(row), alone.Logits(0)) || inf.Value(row) != alone.Value(0) {
				t.Errorf("%s: row %d of %d in a batch of %d differs", a.name, row, n, inf.Batch())
			}
		}
		inf := NewInference(w, batch)
		for n := 1; n <= batch; n++ {
			for row := range n {
				fillInputs(inf, uint64(10*n+row))
				check(inf, row, n)
			}
			if allocations := testing.AllocsPerRun(3, func() { inf.Forward(n) }); allocations != 0 {
				t.Errorf("%s: %v allocations", a.name, allocations)
			}
		}
		for _, size := range []int{2, 5, 33, 100} {
			inf := NewInference(w, size)
			fillInputs(inf, uint64(size))
			check(inf, size-1, size)
		}
	}
}

// TestInferenceNeedsRows checks that a network for no rows is refused.
func TestInferenceNeedsRows(t *testing.T) {
	errtest.Panics(t, func() { NewInference(randomWeights(architectures[0], 3), 0) })
}

// TestForwardLeavesOtherRows checks that rows that are not asked for cost nothing: what they had before stays.
func TestForwardLeavesOtherRows(t *testing.T) {
	for _, a := range architectures {
		inf := NewInference(randomWeights(a, 3), 4)
		fillInputs(inf, 4)
		inf.Forward(4)
		logits, value := slices.Clone(inf.Logits(2)), inf.Value(2)
		fillInputs(inf, 5)
		inf.Forward(2)
		if !slices.Equal(inf.Logits(2), logits) || inf.Value(2) != value {
			t.Errorf("%s: two rows were asked for, and a third was computed", a.name)
		}
	}
}

// TestInferencesRunAtOnce checks that several networks on several goroutines compute what one computes alone.
func TestInferencesRunAtOnce(t *testing.T) {
	const batch, workers, runs = 4, 4, 5
	w := randomWeights(architectures[0], 5)
	one := NewInference(w, batch)
	fillInputs(one, 6)
	one.Forward(batch)

	var wg sync.WaitGroup
	for range workers {
		wg.Go(func() {
			inf := NewInference(w, batch)
			fillInputs(inf, 6)
			for range runs {
				inf.Forward(batch)
				for i := range batch {
					if !slices.Equal(inf.Logits(i), one.Logits(i)) || inf.Value(i) != one.Value(i) {
						t.Errorf("row %d differs", i)
					}
				}
			}
		})
	}
	wg.Wait()
}

// TestLoad checks that an Inference copies weights: it follows Load, and nothing else.
func TestLoad(t *testing.T) {
	a := architectures[0]
	first, second := randomWeights(a, 7), randomWeights(a, 8)
	inf, want := NewInference(first, 1), NewInference(second, 1)
	fillInputs(inf, 9)
	fillInputs(want, 9)
	inf.Forward(1)
	want.Forward(1)
	before := slices.Clone(inf.Logits(0))
	first.CopyFrom(second)
	inf.Forward(1)
	if !slices.Equal(inf.Logits(0), before) {
		t.Error("a change of the caller's weights reached the network without Load")
	}
	inf.Load(second)
	inf.Forward(1)
	if !slices.Equal(inf.Logits(0), want.Logits(0)) {
		t.Error("Load did not take effect")
	}
}

// TestInitialOutputs checks that an untrained network has no strong opinion, at every depth.
func TestInitialOutputs(t *testing.T) {
	for _, blocks := range []int{1, 4, 16, -1, -4, -16} {
		cfg, shape := Default(), Shape{6, 7, 7, 4, 0}
		cfg.Blocks, cfg.Channels = blocks, 16
		if blocks < 0 { // of any size
			cfg.Blocks, cfg.PooledBlocks = -blocks, -blocks
			cfg.PolicyHead, cfg.PolicyChannels, cfg.ValueHead, cfg.ValueChannels = HeadConv, 16, HeadPooled, 16
			shape.Actions, shape.Named = 3*shape.cells()+2, 2
		}
		const lastStone = 2 // its plane, see game.PlacementPlanes
		inf := NewInference(NewWeights(cfg, shape, 1), 32)
		fillInputs(inf, 2)
		for i := range 32 { // a position has one last move, not half of its plane
			clear(inf.Input(i)[lastStone*shape.cells():][:shape.cells()])
		}
		inf.Forward(32)
		for i := range 32 {
			low, high := slices.Min(inf.Logits(i)), slices.Max(inf.Logits(i))
			if high-low > 1 || low == high {
				t.Errorf("%d blocks, row %d: logits from %v to %v", blocks, i, low, high)
			}
			if math.Abs(float64(inf.Value(i))) > 0.5 {
				t.Errorf("%d blocks, row %d: value %v", blocks, i, inf.Value(i))
			}
		}
	}
}

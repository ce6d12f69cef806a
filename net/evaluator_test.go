package net

import (
	"math"
	"slices"
	"strings"
	"testing"

	"tengen/game"
)

var toyConfig = Config{Blocks: 1, Channels: 4, PolicyHead: HeadDense, PolicyChannels: 2, ValueHead: HeadDense, ValueChannels: 1, ValueHidden: 3}

// toyWeights have outputs that are far from uniform.
func toyWeights() *Weights { return randomWeights(architecture{cfg: toyConfig, shape: toyShape}, 41) }

// evaluate scores positions, with priors and values that hold something before.
func evaluate(t *testing.T, e interface {
	Evaluate([]toy, [][]float32, []float32) error
}, leaves []toy) (priors [][]float32, values []float32) {
	t.Helper()
	values = slices.Repeat([]float32{9}, len(leaves))
	for range leaves {
		priors = append(priors, slices.Repeat([]float32{9}, toyShape.Actions))
	}
	if err := e.Evaluate(leaves, priors, values); err != nil {
		t.Fatal(err)
	}
	return priors, values
}

// TestEvaluateAgainstReference compares priors and values with plain loops.
func TestEvaluateAgainstReference(t *testing.T) {
	w := toyWeights()
	r := newReference(w)
	leaves := toys()
	priors, values := evaluate(t, NewEvaluator[toy](w, 4), leaves)
	for i, leaf := range leaves {
		planes := make([]float32, toyShape.inputLen())
		leaf.Encode(planes)
		logits, value := r.forward(doubles(planes))
		if !near(float64(values[i]), value, 5e-5) {
			t.Errorf("position %d: value %v, want %v", i, values[i], value)
		}
		legal := make([]float32, toyShape.Actions)
		for _, a := range leaf.Legal(nil) {
			legal[a] = 1
		}
		sum := 0.0
		for a, logP := range logPolicy(logits, legal) {
			want := math.Exp(logP) * float64(legal[a])
			if p := priors[i][a]; !near(float64(p), want, 5e-5) || legal[a] == 0 && p != 0 {
				t.Errorf("position %d: prior of move %d is %v, want %v", i, a, p, want)
			}
			sum += float64(priors[i][a])
		}
		if _, over := leaf.Outcome(); !over && !near(sum, 1, 1e-6) {
			t.Errorf("position %d: priors sum to %v", i, sum)
		}
	}
	if single := priors[5]; single[2] != 1 {
		t.Errorf("the only legal move has prior %v, want 1", single[2])
	}
}

// TestEvaluateInChunks checks that a position gets the same bits for every batch size and every number of positions.
func TestEvaluateInChunks(t *testing.T) {
	w := toyWeights()
	leaves := slices.Repeat(toys(), 3)
	wantPriors, wantValues := evaluate(t, NewEvaluator[toy](w, 1), leaves)
	for _, batch := range []int{1, 2, 7, 20, 64} {
		e := NewEvaluator[toy](w, batch)
		for n := range len(leaves) + 1 {
			priors, values := evaluate(t, e, leaves[:n])
			for i := range n {
				if !slices.Equal(priors[i], wantPriors[i]) || values[i] != wantValues[i] {
					t.Errorf("position %d of %d in batches of %d differs", i, n, batch)
				}
			}
		}
	}
}

// TestEvaluateRefusesNaN checks that damaged weights do not reach the search as numbers.
func TestEvaluateRefusesNaN(t *testing.T) {
	for _, name := range []string{"policy.out.bias", "value.out.bias"} {
		w := toyWeights()
		i := slices.IndexFunc(w.Params, func(p Param) bool { return p.Name == name })
		w.Params[i].Data[0] = float32(math.NaN())
		err := NewEvaluator[toy](w, 2).Evaluate([]toy{newToy()}, [][]float32{make([]float32, 6)}, make([]float32, 1))
		if err == nil || !strings.Contains(err.Error(), "not finite") {
			t.Errorf("%s NaN: error %v", name, err)
		}
	}
}

func TestMaskedSoftmax(t *testing.T) {
	inf := float32(math.Inf(1))
	for _, c := range []struct {
		logits []float32
		legal  []game.Action
		want   []float32
		ok     bool
	}{
		{[]float32{0, 0, 0, 0}, []game.Action{0, 1, 3}, []float32{1. / 3, 1. / 3, 0, 1. / 3}, true},
		{[]float32{1e30, -1e30, 0, 0}, []game.Action{0, 1}, []float32{1, 0, 0, 0}, true},
		{[]float32{-1e30, 5, 1e30, 5}, []game.Action{1, 3}, []float32{0, .5, 0, .5}, true},
		{[]float32{3, inf, 0, 0}, []game.Action{0}, []float32{1, 0, 0, 0}, true},
		{[]float32{3, inf, 0, 0}, []game.Action{0, 1}, nil, false},
		{[]float32{1, 2, 3, 4}, nil, []float32{0, 0, 0, 0}, true},
	} {
		prior := []float32{7, 7, 7, 7}
		ok := maskedSoftmax(prior, c.logits, c.legal)
		if ok != c.ok || ok && !slices.Equal(prior, c.want) {
			t.Errorf("logits %v, legal %v: %v %v, want %v %v", c.logits, c.legal, prior, ok, c.want, c.ok)
		}
	}
}

// TestEvaluateAllocatesNothing checks the hot path of self-play.
func TestEvaluateAllocatesNothing(t *testing.T) {
	e := NewEvaluator[toy](toyWeights(), 8)
	leaves := toys()
	priors, values := evaluate(t, e, leaves)
	if n := testing.AllocsPerRun(50, func() { e.Evaluate(leaves, priors, values) }); n != 0 {
		t.Errorf("Evaluate allocates %v times", n)
	}
}

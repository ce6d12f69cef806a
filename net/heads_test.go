package net

import (
	"bytes"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"

	"gorgonia.org/gorgonia"

	"tengen/internal/random"
)

// movesLeft is a head such as somebody might add: it guesses the target, one number, and only helps to learn. Plain
// stacks are without it.
var movesLeft = head{
	name:      "moves_left",
	auxiliary: true,
	weight:    func(c Config) float64 { return 1 - float64(min(1, len(c.Stack))) },
	target:    func(Shape) int { return 1 },
	build: func(p *plan, width int) part {
		conv := p.layer("moves_left.conv", 1, 2, width, 1, 1)
		out := p.layer("moves_left.out", headGain, 1, 2*p.shape.cells())
		return func(b *builder, x *node) *node { return b.dense(b.rows(b.dense(x, conv, rectifier)), out, linear) }
	},
	loss: func(l *loss, guess *node) *node {
		return scale(sumOfSquares(subtract(guess, l.targets["moves_left"])), 1/float64(l.batch))
	},
}

// withHead adds a head for the rest of a test.
func withHead(t *testing.T, h head) {
	before := heads
	heads = append(slices.Clip(heads), h)
	t.Cleanup(func() { heads = before })
}

// newBatchLeft is newBatch with targets for movesLeft.
func newBatchLeft(shape Shape, rows int, rng *rand.Rand) *Batch {
	b := newBatch(shape, rows, rng)
	b.Targets = map[string][]float32{"moves_left": make([]float32, rows)}
	for i := range rows {
		b.Targets["moves_left"][i] = float32(rng.NormFloat64())
	}
	return b
}

// TestHeadsAreOneList checks that a head in the list has its place in the parameters and the losses, where the
// configuration has it, and moves nothing else.
func TestHeadsAreOneList(t *testing.T) {
	names := func(w *Weights) (names []string) {
		for _, p := range w.Params {
			names = append(names, p.Name)
		}
		return names
	}
	residual, stack := architectures[0], architectures[1]
	before := NewWeights(residual.cfg, residual.shape, 81)
	withHead(t, movesLeft)
	w := NewWeights(residual.cfg, residual.shape, 81)
	want := append(names(before), "moves_left.conv.weight", "moves_left.conv.bias", "moves_left.out.weight", "moves_left.out.bias")
	if !slices.Equal(names(w), want) {
		t.Errorf("parameters %v, want %v", names(w), want)
	}
	if !sameParams(&Weights{Params: w.playing()}, before) {
		t.Error("the other parameters are not what they are without the head")
	}
	if got := residual.cfg.Terms(); !slices.Equal(got, []string{"value", "policy", "moves_left"}) {
		t.Errorf("terms %v", got)
	}
	if got := stack.cfg.Terms(); !slices.Equal(got, []string{"value", "policy"}) {
		t.Errorf("terms %v of a network without the head", got)
	}
}

// TestAuxiliaryGradients compares the loss and the gradient of the whole loss with those of the reference.
func TestAuxiliaryGradients(t *testing.T) {
	const rows = 3
	withHead(t, movesLeft)
	a := architectures[0]
	w := randomWeights(a, 82)
	b := newBatchLeft(a.shape, rows, random.New(83, random.Test))
	trainer := NewTrainer(w, rows)
	give(trainer, b)
	losses := run(t, trainer)

	r := newReference(w)
	auxiliary := func() (mean float64) {
		planes := a.shape.inputLen()
		for i, target := range b.Targets["moves_left"] {
			x := r.trunk(doubles(b.Planes[i*planes : (i+1)*planes]))
			miss := r.dense(r.features(x, "moves_left.conv"), "moves_left.out")[0] - float64(target)
			mean += miss * miss / rows
		}
		return mean
	}
	total := func() float64 { return r.total(b) + auxiliary() }
	if got, want := float64(term(t, losses, "moves_left")), auxiliary(); !near(got, want, 5e-5) {
		t.Errorf("the head's loss is %v, want %v", got, want)
	}
	if got, want := float64(losses.Total), total(); !near(got, want, 5e-5) {
		t.Errorf("the loss is %v, want %v", got, want)
	}
	checkGradients(t, trainer, r, r.gradients(total))
}

// TestAuxiliaryHeadLearns checks that the loss of a head falls to almost nothing by training.
func TestAuxiliaryHeadLearns(t *testing.T) {
	const rows, steps, rate = 8, 300, 0.1
	withHead(t, movesLeft)
	w := NewWeights(Config{Blocks: 1, Channels: 12, PolicyHead: HeadDense, PolicyChannels: 4, ValueHead: HeadDense, ValueChannels: 2, ValueHidden: 16}, Shape{3, 3, 9, 4}, 84)
	trainer := NewTrainer(w, rows)
	give(trainer, newBatchLeft(w.Shape, rows, random.New(85, random.Test)))
	solver := gorgonia.NewVanillaSolver(gorgonia.WithLearnRate(rate))
	pairs := ValueGrads(w.Params, trainer.Gradients())
	first := run(t, trainer)
	for range steps {
		if err := solver.Step(pairs); err != nil {
			t.Fatal(err)
		}
		trainer.Load(w)
		run(t, trainer)
	}
	last := run(t, trainer)
	if before, after := term(t, first, "moves_left"), term(t, last, "moves_left"); before < 0.1 || after > 0.01*before {
		t.Errorf("the head's loss was %v and is %v", before, after)
	}
}

// TestAuxiliaryHeadIsFreeInPlay checks that a network plays by the same graph and gives the same bits with an auxiliary
// head as without, and that its model has the same bytes.
func TestAuxiliaryHeadIsFreeInPlay(t *testing.T) {
	const batch = 4
	a := architectures[0]
	model := func() *Model { return &Model{Game: "toy", Weights: NewWeights(a.cfg, a.shape, 86)} }
	without := NewInference(model().Weights, batch)
	bytesWithout, err := model().MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}

	withHead(t, movesLeft)
	m := model()
	path := filepath.Join(t.TempDir(), "model.safetensors")
	if err := m.Save(path); err != nil {
		t.Fatal(err)
	}
	if got, err := m.MarshalBinary(); err != nil || !bytes.Equal(got, bytesWithout) {
		t.Errorf("the model has other bytes, error %v", err)
	}
	loaded, err := LoadModel(path)
	if err != nil {
		t.Fatal(err)
	}
	if !m.Weights.SameArchitecture(loaded.Weights) || !sameParams(loaded.Weights.Clone(), &Weights{Params: m.Weights.playing()}) {
		t.Error("the weights of the model are not those that play")
	}
	if m.Weights.Flops() != loaded.Weights.Flops() || m.Weights.Count() <= loaded.Weights.Count() {
		t.Error("the head counts in play, or not in training")
	}
	for name, w := range map[string]*Weights{"learned": m.Weights, "loaded": loaded.Weights} {
		with := NewInference(w, batch)
		if got, want := len(with.network.AllNodes()), len(without.network.AllNodes()); got != want || len(with.tape) != len(without.tape) {
			t.Errorf("%s: %d nodes, %d without the head", name, got, want)
		}
		fillInputs(with, 87)
		fillInputs(without, 87)
		with.Forward(batch)
		without.Forward(batch)
		for i := range batch {
			if !slices.Equal(with.Logits(i), without.Logits(i)) || with.Value(i) != without.Value(i) {
				t.Errorf("%s: row %d differs", name, i)
			}
		}
	}
}

// TestModelsDoNotLearn checks that a model, which lacks its auxiliary heads, is not trained in silence without them.
func TestModelsDoNotLearn(t *testing.T) {
	withHead(t, movesLeft)
	file, err := tinyModel().MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	var m Model
	if err := m.UnmarshalBinary(file); err != nil {
		t.Fatal(err)
	}
	defer func() {
		if recover() == nil {
			t.Error("a trainer for weights without the auxiliary head was made")
		}
	}()
	NewTrainer(m.Weights, 1)
}

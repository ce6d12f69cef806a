package net

import (
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"tengen/game"
	"tengen/internal/errtest"
	"tengen/internal/random"
)

// auxiliaryNames are the heads in the order of withAuxiliary.
var auxiliaryNames = []string{game.Reply, game.Occupancy}

// withAuxiliary is an architecture with auxiliary heads of the given weights.
func withAuxiliary(a architecture, weights ...float64) architecture {
	a.cfg.ReplyWeight, a.cfg.OccupancyWeight = weights[0], weights[1]
	return a
}

// auxiliaryBatch is newBatch with targets for the auxiliary heads, none in the second row.
func auxiliaryBatch(shape Shape, rows int, rng *rand.Rand) *game.Batch {
	b := newBatch(shape, rows, rng)
	replies, cells := make([]float32, len(b.Pi)), make([]float32, rows*shape.cells()*game.Holders)
	for i := range rows {
		if i == 1 {
			continue
		}
		replies[i*shape.Actions+rng.IntN(shape.Actions)] += 0.25 // on any moves, legal now or not
		replies[i*shape.Actions+rng.IntN(shape.Actions)] += 0.75
		for cell := range shape.cells() {
			cells[(i*shape.cells()+cell)*game.Holders+rng.IntN(game.Holders)] = 1
		}
	}
	b.Targets = map[string][]float32{game.Reply: replies, game.Occupancy: cells}
	return b
}

// auxiliary are the losses of the auxiliary heads that there are, by their definitions.
func (r *reference) auxiliary(b *game.Batch) map[string]float64 {
	rows, planes, actions, cells := len(b.Z), r.shape.inputLen(), r.shape.Actions, r.shape.cells()
	all := slices.Repeat([]float32{1}, max(actions, game.Holders))
	losses := map[string]float64{}
	for i := range rows {
		x := r.trunk(doubles(b.Planes[i*planes : (i+1)*planes]))
		if r.params["reply.out.weight"] != nil {
			for a, logP := range logPolicy(r.logits(slices.Clone(x), game.Reply), all[:actions]) {
				losses[game.Reply] -= float64(b.Targets[game.Reply][i*actions+a]) * logP / float64(rows)
			}
		}
		if r.params["occupancy.out.weight"] == nil {
			continue
		}
		logits := r.convolve(x, "occupancy.out", 1) // [Holders, cells]
		for cell := range cells {
			for holder, logP := range logPolicy([]float64{logits[cell], logits[cells+cell], logits[2*cells+cell]}, all) {
				losses[game.Occupancy] -= float64(b.Targets[game.Occupancy][(i*cells+cell)*game.Holders+holder]) * logP / float64(rows*cells)
			}
		}
	}
	return losses
}

// TestAuxiliaryLosses compares the losses of the heads and the gradient of the whole with plain loops: the terms are in
// natural units, and weighted in the total. Some of the networks have one of the heads, some all.
func TestAuxiliaryLosses(t *testing.T) {
	const rows = 3
	weights := [][]float64{{2, 0.5}, {1, 1}, {0.15, 0}, {0, 1.5}, {1, 1}}
	for i, a := range slices.Concat(architectures[6:7], architectures[12:13], architectures[:len(weights)-2]) { // the others take long
		a = withAuxiliary(a, weights[i]...)
		w := randomWeights(a, 91)
		b := auxiliaryBatch(a.shape, rows, random.New(92, random.Test))
		trainer := newTrainer(w, rows, 1)
		maps.DeleteFunc(b.Targets, func(name string, _ []float32) bool { return trainer.Batch().Targets[name] == nil })
		give(trainer, b)
		losses := run(t, trainer)
		r := newReference(w)
		total := func() float64 {
			sum := r.total(b)
			for j, name := range auxiliaryNames {
				sum += weights[i][j] * r.auxiliary(b)[name]
			}
			return sum
		}
		want := r.auxiliary(b)
		if len(want) != len(losses.Terms)-2 || len(want) != len(b.Targets) {
			t.Errorf("%s: losses %+v, want %v", a.name, losses, want)
		}
		for name, want := range want {
			if got := term(t, losses, name); !near(float64(got), want, 5e-5) {
				t.Errorf("%s: the loss of %s is %v, want %v", a.name, name, got, want)
			}
		}
		if !near(float64(losses.Total), total(), 5e-5) {
			t.Errorf("%s: the loss is %v, want %v", a.name, losses.Total, total())
		}
		checkGradients(t, trainer, r, r.gradients(total))
	}
}

// TestRowsWithoutAuxiliaryTargets checks that rows of 0s add nothing: neither to the losses nor to the gradients.
func TestRowsWithoutAuxiliaryTargets(t *testing.T) {
	const rows = 4
	a := withAuxiliary(architectures[5], 1, 1)
	trainer := newTrainer(randomWeights(a, 93), rows, 1)
	give(trainer, newBatch(a.shape, rows, random.New(94, random.Test)))
	losses := run(t, trainer)
	for _, name := range auxiliaryNames {
		if term(t, losses, name) != 0 {
			t.Errorf("losses %+v without any target", losses)
		}
	}
	checked := 0
	for _, g := range trainer.Gradients() {
		if name, _, _ := strings.Cut(g.Name, "."); slices.Contains(auxiliaryNames, name) {
			checked++
			if i := slices.IndexFunc(g.Data, func(x float32) bool { return x != 0 }); i >= 0 {
				t.Errorf("gradient of %s is %v without any target", g.Name, g.Data[i])
			}
		}
	}
	if checked != 6 {
		t.Errorf("%d parameters of auxiliary heads, want 6", checked)
	}
}

// TestAuxiliaryHeadsAreNotInPlay checks that a network with the heads has the playing weights of one without, a model of
// it those and the occupancy head, and that the same graph plays with the same bits.
func TestAuxiliaryHeadsAreNotInPlay(t *testing.T) {
	const batch = 3
	for _, a := range architectures[:2] {
		without := NewWeights(a.cfg, a.shape, 95)
		with := NewWeights(withAuxiliary(a, 0.15, 0.15).cfg, a.shape, 95)
		if len(with.Params) != len(without.Params)+6 || !sameParams(&Weights{Params: with.of(playing)}, without) {
			t.Errorf("%s: the playing weights are others", a.name)
		}
		if got := with.Config.Terms(); !slices.Equal(got, append([]string{"value", "policy"}, auxiliaryNames...)) {
			t.Errorf("%s: terms %v", a.name, got)
		}
		var outputs []string
		for _, h := range headsOf(with.Config, playing) {
			outputs = append(outputs, h.name)
		}
		if !slices.Equal(outputs, without.Config.Terms()) {
			t.Errorf("%s: outputs %v", a.name, outputs)
		}
		file, err := (&Model{Game: "toy", Weights: with}).MarshalBinary()
		if err != nil {
			t.Fatal(err)
		}
		var m Model
		if err := m.UnmarshalBinary(file); err != nil {
			t.Fatal(err)
		}
		if !sameParams(m.Weights, &Weights{Params: with.Params[:len(without.Params)+2]}) ||
			m.Weights.Config != with.Config || m.Weights.Shape != with.Shape {
			t.Errorf("%s: the model's weights are others", a.name)
		}
		one, two := NewInference(m.Weights, batch), NewInference(without, batch)
		fillInputs(one, 96)
		fillInputs(two, 96)
		one.Forward(batch)
		two.Forward(batch)
		if len(one.tape.operations) != len(two.tape.operations) || !slices.Equal(one.logits, two.logits) || !slices.Equal(one.value, two.value) {
			t.Errorf("%s: play is another", a.name)
		}
		if with.Flops() != without.Flops() || with.Count() <= without.Count() {
			t.Errorf("%s: the heads count in play, or not in training", a.name)
		}
		errtest.Panics(t, func() { newTrainer(m.Weights, 1, 1) }) // a model lacks its auxiliary heads
	}
}

// TestAuxiliaryKeys checks the ranges of the weights.
func TestAuxiliaryKeys(t *testing.T) {
	for want, change := range map[string]func(*Config){
		"net.reply_weight is 11, but must be 0 to 10":       func(c *Config) { c.ReplyWeight = 11 },
		"net.reply_weight is NaN, but must be 0 to 10":      func(c *Config) { c.ReplyWeight = math.NaN() },
		"net.occupancy_weight is -0.5, but must be 0 to 10": func(c *Config) { c.OccupancyWeight = -0.5 },
	} {
		cfg := Default()
		change(&cfg)
		if err := cfg.Validate(); err == nil || err.Error() != want {
			t.Errorf("error %v, want %s", err, want)
		}
	}
}

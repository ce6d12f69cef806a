package net

import (
	"slices"
	"testing"

	"tengen/game"
	"tengen/game/mnk"
)

// toySymmetries are those of the toy's board: the identity, and reflections of columns, rows and both.
var toySymmetries = game.Size{Rows: 2, Columns: 3}.Symmetries()

// toyMoves leads to the last of toys, which is over.
var toyMoves = []game.Action{4, 0, 5, 1, 3, 2}

// An average is the mean of what the network says of the positions that are reached by the turned moves, with their
// priors turned back, in whatever batches the images are evaluated.
func TestAveragedIsTheMeanOfTurnedPositions(t *testing.T) {
	w := toyWeights()
	plain := NewEvaluator[toy](w, 8)
	for _, images := range []int{1, 2, 4} {
		for _, batch := range []int{1, 3, 64} {
			priors, values := evaluate(t, NewEvaluator[toy](w, batch).Averaged(toySymmetries[:images]), toys())
			for ply := range toys() {
				wantPrior, wantValue := make([]float64, toyShape.Actions), 0.0
				for _, symmetry := range toySymmetries[:images] {
					turned := newToy()
					for _, a := range toyMoves[:ply] {
						turned = turned.Play(symmetry.Actions[a])
					}
					prior, value := evaluate(t, plain, []toy{turned})
					for a := range wantPrior {
						wantPrior[a] += float64(prior[0][symmetry.Actions[a]]) / float64(images)
					}
					wantValue += float64(value[0]) / float64(images)
				}
				if !near(float64(values[ply]), wantValue, 1e-6) {
					t.Errorf("%d images, ply %d: the value is %v, want %v", images, ply, values[ply], wantValue)
				}
				for a, want := range wantPrior {
					if !near(float64(priors[ply][a]), want, 1e-6) {
						t.Errorf("%d images, ply %d: the prior of %d is %v, want %v", images, ply, a, priors[ply][a], want)
					}
				}
			}
		}
	}
}

// On a square board most symmetries are not their own inverses. The average over one or all of them equals the mean over
// the turned positions, with the priors turned back.
func TestAveragedTurnsBackOnASquare(t *testing.T) {
	rules := mnk.TicTacToe()
	symmetries := rules.Symmetries()
	cfg := Config{Blocks: 1, Channels: 3, PolicyHead: HeadDense, PolicyChannels: 2, ValueHead: HeadDense, ValueChannels: 2, ValueHidden: 4}
	w := randomWeights(architecture{"", cfg, ShapeOf(rules)}, 41)
	moves := []game.Action{1, 0, 5}
	at := func(symmetry game.Symmetry) mnk.State {
		s := rules.Start()
		for _, a := range moves {
			s = s.Play(symmetry.Actions[a])
		}
		return s
	}
	ask := func(of []game.Symmetry, s mnk.State) []float32 {
		priors := [][]float32{slices.Repeat([]float32{9}, 9)}
		if err := NewEvaluator[mnk.State](w, 3).Averaged(of).Evaluate([]mnk.State{s}, priors, []float32{9}); err != nil {
			t.Fatal(err)
		}
		return priors[0]
	}
	mean := make([]float64, 9)
	for i, symmetry := range symmetries {
		turned := ask(symmetries[:1], at(symmetry))
		got := ask(symmetries[i:i+1], at(symmetries[0]))
		for a, b := range symmetry.Actions {
			if !near(float64(got[a]), float64(turned[b]), 1e-6) {
				t.Errorf("symmetry %d: the prior of %d is %v, in the turned position %v", i, a, got[a], turned[b])
			}
			mean[a] += float64(turned[b]) / 8
		}
	}
	for a, got := range ask(symmetries, at(symmetries[0])) {
		if !near(float64(got), mean[a], 1e-6) {
			t.Errorf("the prior of %d is %v, want %v", a, got, mean[a])
		}
	}
}

// It allocates nothing, as the evaluator it stands on.
func TestAveragedAllocatesNothing(t *testing.T) {
	m := NewEvaluator[toy](toyWeights(), 8).Averaged(toySymmetries)
	leaves := toys()
	priors, values := evaluate(t, m, leaves)
	if n := testing.AllocsPerRun(50, func() { m.Evaluate(leaves, priors, values) }); n != 0 {
		t.Errorf("Evaluate allocates %v times", n)
	}
}

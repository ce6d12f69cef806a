package net

import (
	"math"
	"slices"
	"testing"

	"tengen/game"
	"tengen/game/breakthrough"
	igo "tengen/game/go"
	"tengen/internal/random"
)

// The guess about each cell of the board is the mean over the images, also where the planes show the board turned.
func TestOwners(t *testing.T) {
	goban, err := igo.New(game.Size{Columns: 4, Rows: 4}, 0)
	if err != nil {
		t.Fatal(err)
	}
	checkOwners(t, goban)
	board, err := breakthrough.New(game.Size{Columns: 4, Rows: 5})
	if err != nil {
		t.Fatal(err)
	}
	checkOwners(t, board)
}

func checkOwners[S game.State[S]](t *testing.T, rules game.Game[S]) {
	cfg, shape := withAuxiliary(architectures[0], 0.15, 1.5).cfg, ShapeOf(rules)
	w := randomWeights(architecture{"", cfg, shape}, 97)
	r, owners := newReference(w), NewOwners(rules, w)
	turned, isTurned := rules.(game.Turned)
	position, rng := rules.Start(), random.New(98, random.Test)
	for range 7 {
		legal := position.Legal(nil)
		position = position.Play(legal[rng.IntN(len(legal))])
	}
	planes, image := make([]float32, shape.inputLen()), make([]float32, shape.inputLen())
	position.Encode(planes)
	want := make([]float64, shape.cells()) // by cell of the planes
	for _, s := range rules.Symmetries() {
		s.Apply(image, planes)
		logits := r.convolve(r.trunk(doubles(image)), "occupancy.out", 1)
		for cell, to := range s.Cells {
			of := func(holder int) float64 { return math.Exp(logits[holder*len(want)+int(to)]) }
			want[cell] += (of(0) - of(1)) / (of(0) + of(1) + of(2)) / float64(len(rules.Symmetries()))
		}
	}
	got := owners.Guess(position)
	for cell, share := range got {
		seen := cell
		if isTurned {
			seen = turned.Seen(cell, position.ToMove())
		}
		if math.Abs(float64(share)-want[seen]) > 1e-4 {
			t.Errorf("%s: cell %d %v, want %v", rules.Name(), cell, share, want[seen])
		}
	}
	if slices.Max(got)-slices.Min(got) < 0.1 {
		t.Errorf("%s: all cells alike, %v", rules.Name(), got)
	}
	w.Params = w.of(playing)
	if NewOwners(rules, w) != nil {
		t.Errorf("%s: owners of a model that knows none", rules.Name())
	}
}

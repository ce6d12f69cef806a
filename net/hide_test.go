package net

import (
	"slices"
	"testing"

	"tengen/game"
	"tengen/game/connect4"
	"tengen/internal/random"
)

// A network that is not shown the last move says the same of positions that differ in it alone, and learns nothing from
// it: blank planes give the same losses and gradients. One that is shown it says something else.
func TestHideLastMove(t *testing.T) {
	g := connect4.Standard()
	a := g.Start().Play(3).Play(2).Play(4)
	b := g.Start().Play(4).Play(2).Play(3)
	c := architectures[5]
	if c.shape != ShapeOf(g) {
		t.Fatalf("the architecture is for a %v", c.shape)
	}
	for _, hide := range []bool{false, true} {
		c.cfg.HideLastMove = hide
		w := randomWeights(c, 31)
		ev := NewEvaluator[connect4.State](w, 2)
		priors, values := [][]float32{make([]float32, 7), make([]float32, 7)}, make([]float32, 2)
		if err := ev.Evaluate([]connect4.State{a, b}, priors, values); err != nil {
			t.Fatal(err)
		}
		same := values[0] == values[1] && slices.Equal(priors[0], priors[1])
		if same != hide || ev.SeesLastMove() == hide {
			t.Errorf("hide %v: values %v, priors %v", hide, values, priors)
		}

		const rows = 3
		samples := newBatch(c.shape, rows, random.New(32, random.Test))
		trainer := newTrainer(w, rows, 1)
		give(trainer, samples)
		total := run(t, trainer).Total
		gradients := cloneParams(trainer.Gradients())
		cells := c.shape.cells()
		for i := range rows {
			clear(samples.Planes[(4*i+2)*cells:][:cells])
		}
		give(trainer, samples)
		same = run(t, trainer).Total == total && slices.EqualFunc(trainer.Gradients(), gradients,
			func(a, b Param) bool { return slices.Equal(a.Data, b.Data) })
		if same != hide {
			t.Errorf("hide %v: the loss without the last moves is the same: %v", hide, same)
		}
		if stem := trainer.Gradients()[0]; hide && slices.ContainsFunc(stem.Data[2*9:3*9], func(x float32) bool { return x != 0 }) {
			t.Errorf("the filter of the hidden plane has the gradient %v", stem.Data[2*9:3*9])
		}
	}
}

// A game without a plane of the last move hides nothing.
func TestHideLastMoveElsewhere(t *testing.T) {
	c := architectures[4]
	plain := randomWeights(c, 33)
	c.cfg.HideLastMove = true
	hiding := randomWeights(c, 33)
	if !hiding.SeesLastMove() {
		t.Errorf("%d planes have none of the last move, but it is hidden", c.shape.Planes)
	}
	var values [2]float32
	for i, w := range []*Weights{plain, hiding} {
		inf := NewInference(w, 1)
		for j := range inf.Input(0) {
			inf.Input(0)[j] = float32(j % 3)
		}
		inf.Forward(1)
		values[i] = inf.Value(0)
	}
	if values[0] != values[1] {
		t.Errorf("values %v", values)
	}
}

// counting is as much of a game without stones as a shape needs, and counter a position of it.
type (
	counting struct{ game.Game[counter] }
	counter  struct{ game.State[counter] }
)

func (counting) Start() counter   { return counter{} }
func (counting) Planes() int      { return game.PlacementPlanes }
func (counting) Board() game.Size { return game.Size{Rows: 1, Columns: 10} }
func (counting) Actions() int     { return 10 }

// Nor does one that happens to have as many planes as a placement game. Without a board, it has no cells to guess.
func TestSuited(t *testing.T) {
	g := counting{}
	cfg := Default()
	cfg.HideLastMove = true
	if shape := ShapeOf[counter](g); shape.Planes != game.PlacementPlanes || !NewWeights(ConfigFor[counter](cfg, g), shape, 1).SeesLastMove() {
		t.Errorf("of %d planes, one is hidden", shape.Planes)
	}
	cfg.OccupancyWeight = 0.15
	if ConfigFor[counter](cfg, g).OccupancyWeight != 0 || ConfigFor(cfg, connect4.Standard()).OccupancyWeight != 0.15 {
		t.Error("a game without a board has an occupancy head, or Connect Four has none")
	}
	if !ConfigFor(cfg, connect4.Standard()).HideLastMove {
		t.Error("Connect Four shows the last move")
	}
}

func cloneParams(params []Param) []Param {
	clone := slices.Clone(params)
	for i := range clone {
		clone[i].Data = slices.Clone(clone[i].Data)
	}
	return clone
}

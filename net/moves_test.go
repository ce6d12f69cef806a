package net

import (
	"errors"
	"slices"
	"testing"

	"tengen/game"
	"tengen/game/connect4"
	"tengen/game/mnk"
)

// counting is as much of a game without a board as a shape needs, and counter a position of it.
type (
	counting struct{ game.Game[counter] }
	counter  struct{ game.State[counter] }
)

func (counting) Start() counter   { return counter{} }
func (counting) Planes() int      { return game.PlacementPlanes }
func (counting) Board() game.Size { return game.Size{Rows: 1, Columns: 10} }
func (counting) Actions() int     { return 10 }

// Without a board, a game has no cells to guess the holders of.
func TestConfigFor(t *testing.T) {
	cfg := Default()
	cfg.OccupancyWeight = 0.15
	if ConfigFor[counter](cfg, counting{}).OccupancyWeight != 0 || ConfigFor(cfg, connect4.Standard()).OccupancyWeight != 0.15 {
		t.Error("a game without a board has an occupancy head, or Connect Four has none")
	}
}

// stepping is counting with a layout of moves.
type stepping struct {
	counting
	actions int
	layout  game.Layout
}

func (stepping) Name() string          { return "stepping" }
func (g stepping) Actions() int        { return g.actions }
func (g stepping) Layout() game.Layout { return g.layout }

// passing has a pass, and no layout that says so.
type passing struct{ game.Game[mnk.State] }

func (g passing) Actions() int { return g.Game.Actions() + 1 }

// TestFits checks which games a conv policy plays: those with a layout, which the shape knows.
func TestFits(t *testing.T) {
	conv := Default()
	conv.PolicyHead = HeadConv
	g := stepping{actions: 32, layout: game.Layout{Planes: 3, Named: 2}}
	if err := errors.Join(Fits(conv, mnk.Gomoku()), Fits(conv, mnk.TicTacToe()), Fits(Default(), connect4.Standard()), Fits(conv, g)); err != nil {
		t.Error(err)
	}
	if want := (Shape{1, 10, 32, game.PlacementPlanes, 2}); ShapeOf(g) != want || want.check(conv) != nil {
		t.Errorf("a %v, want a %v", ShapeOf(g), want)
	}
	if text, want := ShapeOf(g).String(), "1x10 board with 32 moves (2 without a cell), 4 planes"; text != want {
		t.Errorf("%s, want %s", text, want)
	}
	want := `net.policy_head is "conv", but the moves of connect4 are not numbered by the board's cells: choose dense`
	if err := Fits(conv, connect4.Standard()); err == nil || err.Error() != want {
		t.Errorf("error %v, want %s", err, want)
	}
	g.layout.Named = 1
	want = "stepping has 32 moves, but its Layout has 31: correct its method Actions or Layout"
	for _, cfg := range []Config{conv, Default()} {
		if err := Fits(cfg, g); err == nil || err.Error() != want {
			t.Errorf("error %v, want %s", err, want)
		}
	}
	if Fits(conv, passing{mnk.TicTacToe()}) == nil || Fits(conv, stepping{actions: 32}) == nil || Fits(Default(), stepping{actions: 32}) != nil {
		t.Error("moves without a layout fit a conv policy, or not a dense one")
	}
}

// moving is a network for a game whose pieces have three kinds of moves, and which has a pass.
var moving = withAuxiliary(architectures[12], 0.15, 1, 0)

// TestOrderOfMoves gives planes of moves other weights, by which they are told apart: move cell*3 + plane is a plane's at
// a cell, and the last one sees what is pooled.
func TestOrderOfMoves(t *testing.T) {
	const feature, plane, pass = 2, 10, 7
	w := NewWeights(Config{Channels: 1, PolicyHead: HeadConv, PolicyChannels: 1, ValueHead: HeadPooled, ValueChannels: 1, ValueHidden: 1}, moving.shape, 1)
	for _, p := range w.Params {
		switch clear(p.Data); p.Name {
		case "stem.weight":
			p.Data[4] = 1 // the centre of the first plane's filter
		case "policy.conv.weight":
			p.Data[0] = feature
		case "policy.pool.conv.weight":
			p.Data[0] = 1
		case "policy.out.weight":
			copy(p.Data, []float32{0, 1, -1})
		case "policy.out.bias":
			copy(p.Data, []float32{0, plane, 2 * plane})
		case "policy.named.weight":
			p.Data[1] = 5 // of the maximum
		case "policy.named.bias":
			p.Data[0] = pass
		}
	}
	inf := NewInference(w, 2)
	const row, stone = 1, 6
	inf.Input(row)[stone] = 1
	inf.Forward(2)
	want := append(slices.Repeat([]float32{0, plane, 2 * plane}, 12), pass+5)
	want[stone*3+1] += feature
	want[stone*3+2] -= feature
	if !slices.Equal(inf.Logits(row), want) {
		t.Errorf("logits %v, want %v", inf.Logits(row), want)
	}
}

// TestMovesOnLargerBoards checks that the model of a network for a small board plays on a larger one, and that a run there
// can begin with it.
func TestMovesOnLargerBoards(t *testing.T) {
	large := Shape{6, 5, 91, 3, 1}
	small := randomWeights(moving, 98)
	file, err := (&Model{Game: "stepping", Weights: small}).MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	var m Model
	if err := m.UnmarshalBinary(file); err != nil || m.Weights.Shape != moving.shape {
		t.Fatalf("a %v, error %v", m.Weights.Shape, err)
	}
	r, err := m.Weights.Resized(large)
	if err != nil {
		t.Fatal(err)
	}
	checkForward(t, "resized", r, 3)
	w := NewWeights(moving.cfg, large, 99)
	if err := w.Take(m.Weights); err != nil || !sameParams(&Weights{Params: w.of(playing)}, &Weights{Params: small.of(playing)}) {
		t.Errorf("the parameters are not those of the model, error %v", err)
	}
}

package replay

import (
	"testing"

	"tengen/game"
	"tengen/game/mnk"
)

func TestValidate(t *testing.T) {
	rules := mnk.TicTacToe()
	for _, test := range []struct {
		name    string
		change  func(*Record)
		problem string // "" for a valid record
	}{
		{"as it is", func(g *Record) {}, ""},
		{"an opening", func(g *Record) {
			g.Opening, g.Values, g.Simulations, g.Weights = 1, g.Values[1:], g.Simulations[1:], g.Weights[1:]
			g.Policy = Policy{}
			for range 4 {
				g.Policy.Append([]float32{2: 1})
			}
		}, ""},
		{"nothing to learn", func(g *Record) {
			clear(g.Weights)
			g.Policy = Policy{}
			for range 5 {
				g.Policy.Append(nil)
			}
		}, ""},
		{"a move twice", func(g *Record) { g.Moves[2] = 0 }, "move 3 (action 0) is illegal"},
		{"a move off the board", func(g *Record) { g.Moves[2] = 9 }, "move 3 (action 9) is illegal"},
		{"a negative move", func(g *Record) { g.Moves[0] = -1 }, "move 1 is -1"},
		{"a move of no board", func(g *Record) { g.Moves[2] = maxAction + 1 }, "move 3 is"},
		{"cut short", func(g *Record) { *g = *ticTacToe(7, 1, 0, 3, 1, 4) }, "stops after 4 moves"},
		{"a share of a taken cell", func(g *Record) { g.Policy.actions[2] = 0 }, "illegal action 0 at ply 1"},
		{"the wrong winner", func(g *Record) { g.Outcome = -1 }, "outcome -1"},
		{"no winner", func(g *Record) { g.Outcome = 0 }, "outcome 0"},
		{"an impossible outcome", func(g *Record) { g.Outcome = 2 }, "outcome 2, but must be"},
		{"policies missing", func(g *Record) { g.Policy.ends = g.Policy.ends[:4] }, "policies for 4 plies, but 5 were"},
		{"simulations missing", func(g *Record) { g.Simulations = g.Simulations[:4] }, "simulations for 4 plies, but 5 were"},
		{"weights missing", func(g *Record) { g.Weights = nil }, "weights for 0 plies, but 5 were"},
		{"values missing", func(g *Record) { g.Values = g.Values[:4] }, "root values for 4 plies, but 5 were"},
		{"a value too small", func(g *Record) { g.Values[0] = -1.5 }, "root value -1.5 at ply 0"},
		{"a value too large", func(g *Record) { g.Values[3] = 1.5 }, "root value 1.5 at ply 3"},
		{"a long opening", func(g *Record) { g.Opening = 6 }, "6 opening moves among 5"},
	} {
		t.Run(test.name, func(t *testing.T) {
			g := ticTacToe(7, 1, append([]game.Action(nil), firstWins...)...)
			test.change(g)
			err := Validate(rules, g)
			if test.problem != "" {
				wantError(t, err, test.problem)
			} else if err != nil {
				t.Error(err)
			}
		})
	}
}

func TestPositions(t *testing.T) {
	g := ticTacToe(7, 1, firstWins...)
	g.Weights[1], g.Weights[3] = 0, 1
	if g.Searched() != 5 || g.Positions() != 4 {
		t.Errorf("%d plies searched, %d positions to learn from, want 5 and 4", g.Searched(), g.Positions())
	}
}

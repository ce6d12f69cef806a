package replay

import (
	"testing"

	"tengen/game"
	"tengen/game/mnk"
)

func TestFalseResignation(t *testing.T) {
	for _, test := range []struct {
		game          Record
		tested, wrong bool
	}{
		{Record{ResignPly: -1}, false, false},
		{Record{PlayedOn: true, ResignPly: -1}, false, false},
		{Record{Resigned: true, ResignPly: 3, Outcome: 1}, false, false},
		{Record{PlayedOn: true, ResignPly: 2, Outcome: 1}, true, true}, // the first player would have resigned, and won
		{Record{PlayedOn: true, ResignPly: 2, Outcome: 0}, true, true},
		{Record{PlayedOn: true, ResignPly: 0, Outcome: 1}, true, true},
		{Record{PlayedOn: true, ResignPly: 2, Outcome: -1}, true, false},
		{Record{PlayedOn: true, ResignPly: 3, Outcome: 1}, true, false}, // the second player would have resigned, and lost
		{Record{PlayedOn: true, ResignPly: 3, Outcome: -1}, true, true},
	} {
		if tested, wrong := test.game.FalseResignation(); tested != test.tested || wrong != test.wrong {
			t.Errorf("%+v: tested %v, wrong %v", test.game, tested, wrong)
		}
	}
}

func TestValidate(t *testing.T) {
	rules := mnk.TicTacToe()
	resigned := func(g *Record) { // the first player gives up after four moves
		*g = *ticTacToe(7, -1, 0, 3, 1, 4)
		g.Resigned, g.ResignPly = true, 4
	}
	for _, test := range []struct {
		name    string
		change  func(*Record)
		problem string // "" for a valid record
	}{
		{"as it is", func(g *Record) {}, ""},
		{"resigned", resigned, ""},
		{"resigned at once", func(g *Record) { *g = Record{Resigned: true, Outcome: -1} }, ""},
		{"played on", func(g *Record) { g.PlayedOn, g.ResignPly = true, 3 }, ""},
		{"played on, resigned at once", func(g *Record) { g.PlayedOn, g.ResignPly = true, 0 }, ""},
		{"played on, resigned at the last move", func(g *Record) { g.PlayedOn, g.ResignPly = true, 4 }, ""},
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
		{"resigned after the end", func(g *Record) { g.Resigned, g.ResignPly, g.Outcome = true, 5, 1 }, "after the rules had ended it"},
		{"resigned elsewhere", func(g *Record) { resigned(g); g.ResignPly = 2 }, "resigned at ply 2"},
		{"resigned and won", func(g *Record) { resigned(g); g.Outcome = 1 }, "outcome 1 for the side that resigned"},
		{"resigned and played on", func(g *Record) { resigned(g); g.PlayedOn = true }, "in which resignation was banned"},
		{"a forgotten ply", func(g *Record) { g.ResignPly = 0 }, "-1 means never"},
		{"played on past the end", func(g *Record) { g.PlayedOn, g.ResignPly = true, 5 }, "resignation ply 5"},
		{"resigned in the opening", func(g *Record) {
			*g = Record{Moves: g.Moves, Outcome: 1, Opening: 3, PlayedOn: true, ResignPly: 2}
			g.AppendSearch([]float32{4: 1}, 0, 1, FullWeight)
			g.AppendSearch([]float32{2: 1}, 0, 1, FullWeight)
		}, "resignation ply 2, but plies 3 to 4 were searched"},
		{"a ply below -1", func(g *Record) { g.PlayedOn, g.ResignPly = true, -2 }, "resignation ply -2"},
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

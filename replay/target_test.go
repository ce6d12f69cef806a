package replay

import (
	"reflect"
	"slices"
	"testing"

	"tengen/game"
)

// sixPlies is a game that the second player wins, with values that make the move at ply 2 lose 1 and that at ply 4 lose 0.75, by
// the next search. The search at ply 2 preferred another move, those at the other plies the one that was played.
func sixPlies() *Record {
	g := &Record{Model: 7, Moves: secondWins, Outcome: -1, ResignPly: -1}
	for ply, v := range []float32{0.25, -0.5, 0.5, 0.5, -0.25, 1} {
		policy := make([]float32, 9)
		policy[secondWins[ply]] = 2
		policy[7] = 1
		if ply == 2 {
			policy[7] = 3
		}
		g.AppendSearch(policy, v, 10, FullWeight)
	}
	return g
}

// The arithmetic by hand, with values and outcome turned at every ply: lambda and mix are a half.
func TestValueTargets(t *testing.T) {
	mixed := Config{ValueMix: 0.5, ValueLambda: 0.5, CutBlunders: 0}
	cut := Config{ValueMix: 0, CutBlunders: 0.25}
	both := Config{ValueMix: 0.5, ValueLambda: 0.5, CutBlunders: 0.25}
	for _, test := range []struct {
		name   string
		cfg    Config
		change func(*Record)
		want   []float32
	}{
		{"off", Config{ValueLambda: 0.8, ValueWarmup: 5}, nil, nil},
		// R: -1 1 -1 1 -1 1; q: 1/2 v - 1/2 of the next q: 0.2421875 -0.234375 -0.03125 0.5625 -0.625 1
		{"mixed", mixed, nil, []float32{-0.37890625, 0.3828125, -0.515625, 0.78125, -0.8125, 1}},
		// At ply 2, 0.5 > -0.5 + 0.25. At ply 4, -0.25 > -1 + 0.25, but the search preferred that move. At ply 3, 0.5 is not above
		// 0.25 + 0.25.
		{"cut", cut, nil, []float32{0.5, -0.5, 0.5, 1, -1, 1}},
		// q: 1/2 0.25 + 1/2 0.5, 1/2 -0.5 - 1/2 0.5, 0.5, and as above
		{"mixed and cut", both, nil, []float32{0.4375, -0.5, 0.5, 0.78125, -0.8125, 1}},
		{"the best move at ply 2", both, func(g *Record) {
			g.Moves = append([]game.Action(nil), secondWins...)
			g.Moves[2] = 7
		}, []float32{-0.37890625, 0.3828125, -0.515625, 0.78125, -0.8125, 1}},
		// At ply 2, 0.5 is not above -0.5 + 1.
		{"a loss of just the limit", Config{CutBlunders: 1}, nil, []float32{-1, 1, -1, 1, -1, 1}},
		{"one of two best moves", cut, func(g *Record) { g.Policy.shares[5] = g.Policy.shares[4] }, []float32{-1, 1, -1, 1, -1, 1}},
		{"no policies", cut, func(g *Record) {
			g.Policy = Policy{}
			for range 6 {
				g.Policy.Append(nil)
			}
		}, []float32{-1, 1, -1, 1, -1, 1}},
		{"values of the positions alone", Config{ValueMix: 1, ValueLambda: 0}, nil, []float32{0.25, -0.5, 0.5, 0.5, -0.25, 1}},
		{"lambda 1 is the outcome", Config{ValueMix: 1, ValueLambda: 1}, nil, []float32{-1, 1, -1, 1, -1, 1}},
		// A fifth of the mix: -0.9 + 0.1 v and so on.
		{"an early model", Config{ValueMix: 0.5, ValueWarmup: 35}, nil, []float32{-0.875, 0.85, -0.85, 0.95, -0.925, 1}},
		{"model 0", both, func(g *Record) { g.Model = 0 }, nil},
		// The first player gives up after four plies: R: -1 1 -1 1; q: 0.21875 -0.1875 -0.125 0.75
		{"resigned", mixed, func(g *Record) {
			*g = Record{Model: 7, Moves: g.Moves[:4], Outcome: -1, Values: g.Values[:4], Resigned: true, ResignPly: 4}
		}, []float32{-0.390625, 0.40625, -0.5625, 0.875}},
		// The first two plies have no row.
		{"opening", both, func(g *Record) {
			g.Opening, g.Values = 2, g.Values[2:]
			g.Policy.ends, g.Policy.actions, g.Policy.shares = []uint32{2, 4, 6, 8}, g.Policy.actions[4:], g.Policy.shares[4:]
		}, []float32{0.5, 0.78125, -0.8125, 1}},
	} {
		t.Run(test.name, func(t *testing.T) {
			g := sixPlies()
			if test.change != nil {
				test.change(g)
			}
			if got := test.cfg.valueTargets(g, nil); !reflect.DeepEqual(got, test.want) {
				t.Errorf("targets %v, want %v", got, test.want)
			}
		})
	}
}

// Of the last plies the targets are what perfect play makes of them, and before them it takes the place of the outcome. A
// move just before them was a blunder or not by perfect play: at ply 3 the search thought 0.5.
func TestExactTargets(t *testing.T) {
	cut := Config{ExactPlies: 5, CutBlunders: 0.25}
	for _, test := range []struct {
		name   string
		cfg    Config
		model  uint64
		played game.Action // at ply 3, where the search preferred 4
		exact  int8        // at ply 4; at ply 5 it is 0
		want   []float32
	}{
		{"the outcome alone", Config{ExactPlies: 5}, 7, 4, -1, []float32{-1, 1, -1, 1, -1, 0}},
		{"values of the positions alone", Config{ExactPlies: 5, ValueMix: 1, ValueLambda: 0}, 7, 4, -1, []float32{0.25, -0.5, 0.5, 0.5, -1, 0}},
		// R: -1 1 -1 1, then -1; q: 1/2 v - 1/2 of the next q: 0.21875 -0.1875 -0.125 0.75, then -1
		{"mixed", Config{ExactPlies: 5, ValueMix: 0.5, ValueLambda: 0.5}, 7, 4, -1, []float32{-0.390625, 0.40625, -0.5625, 0.875, -1, 0}},
		{"model 0 mixes nothing", Config{ExactPlies: 5, ValueMix: 1, CutBlunders: 0.01}, 0, 4, -1, []float32{-1, 1, -1, 1, -1, 0}},
		{"the best move", cut, 7, 4, 1, []float32{0.5, -0.5, 0.5, -1, 1, 0}},
		{"a blunder that loses", cut, 7, 7, 1, []float32{0.5, -0.5, 0.5, 0.5, 1, 0}},
		{"a blunder that draws", cut, 7, 7, 0, []float32{0.5, -0.5, 0.5, 0.5, 0, 0}},
		{"no blunder", cut, 7, 7, -1, []float32{0.5, -0.5, 0.5, 1, -1, 0}},
	} {
		g := sixPlies()
		g.Model = test.model
		g.Moves = slices.Clone(secondWins)
		g.Moves[3] = test.played
		if got := test.cfg.valueTargets(g, []int8{test.exact, 0}); !reflect.DeepEqual(got, test.want) {
			t.Errorf("%s: targets %v, want %v", test.name, got, test.want)
		}
	}
}

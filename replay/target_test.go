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
	g := &Record{Model: 7, Moves: secondWins, Outcome: -1}
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

// The arithmetic by hand, with values and outcome turned at every ply: lambda is 0.8, mix a half.
func TestValueTargets(t *testing.T) {
	mixed := Config{ValueMix: 0.5, CutBlunders: 0}
	cut := Config{ValueMix: 0, CutBlunders: 0.25}
	both := Config{ValueMix: 0.5, CutBlunders: 0.25}
	for _, test := range []struct {
		name   string
		cfg    Config
		change func(*Record)
		want   []float32
	}{
		{"off", Config{}, nil, nil},
		// R: -1 1 -1 1 -1 1; q: 0.2 v - 0.8 of the next q: -0.20536 0.3192 -0.524 0.78 -0.85 1
		{"mixed", mixed, nil, []float32{-0.60268, 0.6596, -0.762, 0.89, -0.925, 1}},
		// At ply 2, 0.5 > -0.5 + 0.25. At ply 4, -0.25 > -1 + 0.25, but the search preferred that move. At ply 3, 0.5 is not above
		// 0.25 + 0.25.
		{"cut", cut, nil, []float32{0.5, -0.5, 0.5, 1, -1, 1}},
		// q: 0.2 0.25 + 0.8 0.5, 0.2 -0.5 - 0.8 0.5, 0.5, and as above
		{"mixed and cut", both, nil, []float32{0.475, -0.5, 0.5, 0.89, -0.925, 1}},
		{"the best move at ply 2", both, func(g *Record) {
			g.Moves = append([]game.Action(nil), secondWins...)
			g.Moves[2] = 7
		}, []float32{-0.60268, 0.6596, -0.762, 0.89, -0.925, 1}},
		// At ply 2, 0.5 is not above -0.5 + 1.
		{"a loss of just the limit", Config{CutBlunders: 1}, nil, []float32{-1, 1, -1, 1, -1, 1}},
		{"one of two best moves", cut, func(g *Record) { g.Policy.shares[5] = g.Policy.shares[4] }, []float32{-1, 1, -1, 1, -1, 1}},
		{"no policies", cut, func(g *Record) {
			g.Policy = Policy{}
			for range 6 {
				g.Policy.Append(nil)
			}
		}, []float32{-1, 1, -1, 1, -1, 1}},
		// A fifth of the mix: 0.9 R + 0.1 q.
		{"model 1", mixed, func(g *Record) { g.Model = 1 }, []float32{-0.920536, 0.93192, -0.9524, 0.978, -0.985, 1}},
		{"model 5", mixed, func(g *Record) { g.Model = 5 }, []float32{-0.60268, 0.6596, -0.762, 0.89, -0.925, 1}},
		{"model 0", both, func(g *Record) { g.Model = 0 }, nil},
		// The first two plies have no row.
		{"opening", both, func(g *Record) {
			g.Opening, g.Values = 2, g.Values[2:]
			g.Policy.ends, g.Policy.actions, g.Policy.shares = []uint32{2, 4, 6, 8}, g.Policy.actions[4:], g.Policy.shares[4:]
		}, []float32{0.5, 0.89, -0.925, 1}},
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
		// R: -1 1 -1 1, then -1; q: 0.2 v - 0.8 of the next q: -0.2668 0.396 -0.62 0.9, then -1
		{"mixed", Config{ExactPlies: 5, ValueMix: 0.5}, 7, 4, -1, []float32{-0.6334, 0.698, -0.81, 0.95, -1, 0}},
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

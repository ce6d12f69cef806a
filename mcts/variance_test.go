package mcts_test

import (
	"math"
	"slices"
	"testing"

	"tengen/game"
	"tengen/game/connect4"
	"tengen/internal/random"
	"tengen/mcts"
)

// What a search keeps of a move gives the mean and the variance of the list of all values that were found behind it.
func TestSquaresAreThoseOfTheValues(t *testing.T) {
	values := map[string][]float64{} // by the path, of the leaves behind it, for who made its last move
	ev := evaluatorFunc[toy](func(leaf toy, prior []float32) float32 {
		hash := uint64(0)
		for _, move := range leaf.Path {
			hash = scramble(hash*31 + uint64(move))
		}
		value := float32(int(hash%201)-100) / 100
		for depth := range len(leaf.Path) + 1 {
			sign := 1.0
			if (len(leaf.Path)-depth)%2 == 0 {
				sign = -1
			}
			behind := leaf.Path[:depth]
			values[behind] = append(values[behind], sign*float64(value))
		}
		written(nil, nil)(leaf, prior)
		return value
	})
	s := searched(t, alphaZero(), toyActions, newToy("aa ab ac ba bb bc c"), ev, 200)
	compared := 0
	s.Walk(func(path []game.Action, e mcts.EdgeStat) {
		line := ""
		for _, a := range path {
			line += string(rune('a' + a))
		}
		list := values[line]
		if len(list) != e.Visits {
			t.Fatalf("%q has %d visits, but %d values", line, e.Visits, len(list))
		}
		if len(list) < 2 {
			return
		}
		compared++
		mean, variance := 0.0, 0.0
		for _, v := range list {
			mean += v / float64(len(list))
		}
		for _, v := range list {
			variance += (v - mean) * (v - mean) / float64(len(list))
		}
		n := float64(e.Visits)
		if q := e.ValueSum / n; math.Abs(q-mean) > 1e-9 || math.Abs(e.Squares/n-q*q-variance) > 1e-9 {
			t.Errorf("%q: mean %v and variance %v, want %v and %v", line, q, e.Squares/n-q*q, mean, variance)
		}
	})
	if compared < 20 {
		t.Errorf("only %d lists were compared", compared)
	}
}

// By hand: two values, 1 and -1, have with the prior the variance (2 0.16 + 2) / 3 = 0.773333, and so 2.198484 times the
// deviation of the prior, 0.4. Ten values of 0.5 have (2 (0.25 + 0.16) + 2.5) / 11 - 0.25 = 0.051818, and 0.569090 times. One
// has the prior's.
func TestSpreadByHand(t *testing.T) {
	for _, test := range []struct {
		weight float64
		edge   mcts.EdgeStat
		want   float64
	}{
		{1, mcts.EdgeStat{Visits: 2, ValueSum: 0, Squares: 2}, 2.198484},
		{0.5, mcts.EdgeStat{Visits: 2, ValueSum: 0, Squares: 2}, 1.599242},
		{1, mcts.EdgeStat{Visits: 10, ValueSum: 5, Squares: 2.5}, 0.569090},
		{1, mcts.EdgeStat{Visits: 1, ValueSum: 1, Squares: 1}, 1},
	} {
		if got := mcts.Spread(test.weight, test.edge); math.Abs(got-test.want) > 1e-5 {
			t.Errorf("%+v: the spread is %v, want %v", test, got, test.want)
		}
	}
}

// By hand: the values 0.5, 0.5, -0.5 and 0.5 have the mean 0.25, the variance 0.1875 and, with 1 / 65 of the prior, the standard
// error sqrt(0.202885 / 4) = 0.225214.
func TestLowerBoundByHand(t *testing.T) {
	edge := mcts.EdgeStat{Visits: 4, ValueSum: 1, Squares: 1}
	if got := mcts.LowerBound(2, edge); math.Abs(got-(0.25-2*0.225214)) > 1e-5 {
		t.Errorf("the bound is %v, want %v", got, 0.25-2*0.225214)
	}
	for result, want := range map[game.Result]float64{game.Win: 1, game.Draw: 0, game.Loss: -1} {
		if got := mcts.LowerBound(2, mcts.EdgeStat{Visits: 4, Proven: result}); got != want {
			t.Errorf("the bound of a %v is %v", result, got)
		}
	}
}

// The move of the highest bound is left, out of those that have 15 % of the most simulations and are not lost. By hand:
//
//	a: value 0.3, variance 0.64, standard error sqrt((0.64 + 1/64001) / 40) = 0.126493
//	b: value 0.25, variance 0.01, standard error sqrt((0.01 + 1/8001) / 20) = 0.022500
//
// so b is better from 0.05 / (0.126493 - 0.0225) = 0.4808 standard errors on.
func TestHighestBound(t *testing.T) {
	a := mcts.EdgeStat{Visits: 40, ValueSum: 12, Squares: 40 * (0.64 + 0.09), Prior: 0.25}
	b := mcts.EdgeStat{Visits: 20, ValueSum: 5, Squares: 20 * (0.01 + 0.0625), Prior: 0.25}
	few := mcts.EdgeStat{Visits: 5, ValueSum: 4.5, Squares: 4.05, Prior: 0.25}
	enough := mcts.EdgeStat{Visits: 6, ValueSum: 5.4, Squares: 4.86, Prior: 0.25}
	lost := mcts.EdgeStat{Visits: 30, ValueSum: -30, Squares: 30, Prior: 0.25, Proven: game.Loss}
	draw := mcts.EdgeStat{Visits: 8, Prior: 0.25, Proven: game.Draw}
	never := mcts.EdgeStat{Prior: 0.25}
	for _, test := range []struct {
		name       string
		deviations float64
		moves      []mcts.EdgeStat
		want       []float32
	}{
		{"almost the value", 0.48, []mcts.EdgeStat{a, b}, []float32{40, 0}},
		{"the surer one", 0.482, []mcts.EdgeStat{a, b}, []float32{0, 20}},
		{"too few simulations", 1.96, []mcts.EdgeStat{a, few, b}, []float32{0, 0, 20}},
		{"enough simulations", 1.96, []mcts.EdgeStat{a, enough, b}, []float32{0, 6, 0}},
		{"neither lost nor never tried", 10, []mcts.EdgeStat{lost, never, a}, []float32{0, 0, 40}},
		{"a draw below the bound", 2, []mcts.EdgeStat{a, draw}, []float32{40, 0}},
		{"a draw above the bound", 3, []mcts.EdgeStat{a, draw}, []float32{0, 8}},
		{"equal ones", 1.96, []mcts.EdgeStat{b, a, b}, []float32{20, 0, 20}},
		{"only one that was never tried is not lost", 1.96, []mcts.EdgeStat{lost, never}, []float32{0, 1}},
		{"nothing visited", 1.96, []mcts.EdgeStat{never, never}, []float32{1, 0}},
	} {
		if got := mcts.HighestBound(test.deviations, test.moves); !slices.Equal(got, test.want) {
			t.Errorf("%s: %v are left, want %v", test.name, got, test.want)
		}
	}
}

// A bound chooses the move where the search plays as well as it can, and nothing else: neither the simulations nor what is
// learned.
func TestBoundChangesTheMoveAlone(t *testing.T) {
	g := connect4.Standard()
	changed := 0
	for seed := range uint64(40) {
		ev := hashed[connect4.State](seed)
		bounded := alphaZero()
		bounded.LCB = 1.96
		plain := searched(t, alphaZero(), g.Actions(), g.Start(), ev, 150)
		s := searched(t, bounded, g.Actions(), g.Start(), ev, 150)
		if !slices.Equal(s.Stats(nil), plain.Stats(nil)) {
			t.Fatalf("seed %d: the search has %v, want %v", seed, s.Stats(nil), plain.Stats(nil))
		}
		for _, temperature := range []float64{0, 1} {
			d := decided(s, temperature, random.New(seed, random.Test))
			want := decided(plain, temperature, random.New(seed, random.Test))
			if !slices.Equal(d.Policy, want.Policy) {
				t.Errorf("seed %d: the policy is %v, want %v", seed, d.Policy, want.Policy)
			}
			if d.Action != want.Action && temperature > 0 {
				t.Errorf("seed %d: draws %d, want %d", seed, d.Action, want.Action)
			}
			if d.Action != want.Action {
				changed++
			}
		}
	}
	if changed == 0 {
		t.Error("the bound never chose another move")
	}
}

// Where the search explores, the bound has no say.
func TestNoBoundWhereItExplores(t *testing.T) {
	g := connect4.Standard()
	for seed := range uint64(40) {
		var moves [2]game.Action
		for i, lcb := range []float64{0, 5} {
			cfg := alphaZero()
			cfg.LCB = lcb
			s := mcts.New[connect4.State](cfg, g.Actions())
			s.Reset(g.Start())
			s.Begin(150, random.New(seed, random.Test))
			run(t, s, hashed[connect4.State](seed))
			moves[i] = decided(s, 0, random.New(seed, random.Test)).Action
		}
		if moves[0] != moves[1] {
			t.Errorf("seed %d: plays %d with a bound, %d without", seed, moves[1], moves[0])
		}
	}
}

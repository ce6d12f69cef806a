package mcts_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"tengen/game"
	"tengen/game/connect4"
	"tengen/internal/random"
	"tengen/mcts"
)

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
// learned, nor a move where the search explores.
func TestBoundChangesTheMoveAlone(t *testing.T) {
	g := connect4.Standard()
	bounded := alphaZero()
	bounded.LCB = 1.96
	changed := 0
	for seed := range uint64(40) {
		ev := hashed[connect4.State](seed)
		checkSame(t, searched(t, bounded, g.Actions(), g.Start(), ev, 150), searched(t, alphaZero(), g.Actions(), g.Start(), ev, 150))
		for _, rng := range []*rand.Rand{nil, random.New(seed, random.Test)} {
			var decisions [2]mcts.Decision
			for i, cfg := range []mcts.Config{alphaZero(), bounded} {
				if rng != nil {
					rng = random.New(seed, random.Test)
				}
				s := begun(cfg, g.Actions(), g.Start(), 150, rng)
				run(t, s, ev)
				decisions[i] = decided(s, 0, random.New(seed, random.Test))
			}
			if !slices.Equal(decisions[0].Policy, decisions[1].Policy) {
				t.Errorf("seed %d: the policy is %v, want %v", seed, decisions[1].Policy, decisions[0].Policy)
			}
			if decisions[0].Action != decisions[1].Action {
				changed++
				if rng != nil {
					t.Errorf("seed %d: an exploring search plays %d, want %d", seed, decisions[1].Action, decisions[0].Action)
				}
			}
		}
	}
	if changed == 0 {
		t.Error("the bound never chose another move")
	}
}

package selfplay

import (
	"slices"
	"testing"

	"tengen/game"
	"tengen/game/mnk"
	"tengen/replay"
	"tengen/solver"
)

// Positions after the first proof of a game count less, and lost ones teach no policy; nothing else changes. Of a position that was
// proven before, the search had nothing to do; a value of 1 or -1 is a proof, because the oracle has none. Solving says whether the
// proofs are right.
func TestDecidedWeight(t *testing.T) {
	rules := mnk.TicTacToe()
	truth := solver.NewMinimax(rules, solver.Config{})
	cfg := testConfig()
	cfg.ResignBelow = -1
	plain, _ := generate(t, testPool(rules, cfg, 2, anyValue), 0, 100)
	cfg.DecidedWeight = 0.2
	games, _ := generate(t, testPool(rules, cfg, 2, anyValue), 0, 100)
	decided, lost := 0, 0
	for i, g := range games {
		if !slices.Equal(g.Moves, plain[i].Moves) {
			t.Fatalf("game %d was played in another way", i)
		}
		for row, n := range g.Simulations {
			want := uint16(replay.FullWeight)
			if n == 0 {
				want = 51 // 0.2 * 256
				decided++
			}
			if g.Weights[row] != want || plain[i].Weights[row] != replay.FullWeight {
				t.Errorf("game %d, row %d: weight %d, without the key %d; want %d, 256", i, row, g.Weights[row], plain[i].Weights[row], want)
			}
			actions, _ := g.Policy.Row(row)
			before, _ := plain[i].Policy.Row(row)
			isLost := g.Values[row] == -1
			if isLost != (len(actions) == 0) || !isLost && !slices.Equal(actions, before) || len(before) == 0 {
				t.Errorf("game %d, row %d: value %v, policy of moves %v, without the key %v", i, row, g.Values[row], actions, before)
			}
			if isLost {
				lost++
			}
			if n == 0 || isLost {
				state, err := game.Replay(rules, g.Moves[:g.Opening+row])
				if err != nil {
					t.Fatal(err)
				}
				score, err := truth.Solve(t.Context(), state)
				if err != nil || sign(float32(score)) != g.Values[row] {
					t.Errorf("game %d, row %d: proven to be %v, but solved as %v (%v)", i, row, g.Values[row], score, err)
				}
			}
		}
	}
	if decided == 0 || lost == 0 {
		t.Errorf("%d decided positions, %d lost ones, want some of each", decided, lost)
	}
}

func sign(x float32) float32 {
	switch {
	case x < 0:
		return -1
	case x > 0:
		return 1
	}
	return 0
}

// Positions with a weight of 0 are not learned from.
func TestDecidedWeightZero(t *testing.T) {
	cfg := testConfig()
	cfg.ResignBelow, cfg.DecidedWeight = -1, 0
	games, _ := generate(t, testPool(mnk.TicTacToe(), cfg, 1, anyValue), 0, 20)
	for _, g := range games {
		undecided := len(slices.DeleteFunc(slices.Clone(g.Simulations), func(n uint32) bool { return n == 0 }))
		if g.Positions() != undecided || undecided == 0 {
			t.Errorf("game %d: %d positions to learn from, %d were undecided before their search", g.Number, g.Positions(), undecided)
		}
	}
}

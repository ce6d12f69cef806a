package selfplay

import (
	"cmp"
	"math"
	"slices"
	"testing"

	"tengen/game"
	"tengen/game/mnk"
	"tengen/replay"
	"tengen/solver"
)

// Positions after the first proof of a game count less, and lost ones teach no policy; nothing else changes. Of a position
// that was proven before, the search had nothing to do; a value of 1 or -1 is a proof, because the oracle has none. Solving
// says whether the proofs are right.
func TestProvenWeight(t *testing.T) {
	rules := mnk.TicTacToe()
	truth := solver.NewAlphaBeta(rules, solver.Default())
	cfg := testConfig()
	plain, _ := generate(t, testPool(rules, cfg, 2, anyValue), 0, 100)
	cfg.ProvenWeight = 0.2
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
				noError(t, err)
				score, err := truth.Solve(t.Context(), state)
				if err != nil || float32(cmp.Compare(score, 0)) != g.Values[row] {
					t.Errorf("game %d, row %d: proven to be %v, but solved as %v (%v)", i, row, g.Values[row], score, err)
				}
			}
		}
	}
	if decided == 0 || lost == 0 {
		t.Errorf("%d decided positions, %d lost ones, want some of each", decided, lost)
	}
}

// With a prover of forced moves, whatever comes after the first proof of a game counts less, also where the prover has proven a
// leaf that became the next root without having been opened.
func TestProvenWeightWithProver(t *testing.T) {
	cfg, search := testConfig(), alphaZeroSearch()
	cfg.ProvenWeight, search.ForcedNodes = 0.2, 20
	games, _ := generate(t, searchPool(mnk.TicTacToe(), cfg, search, 2, anyValue), 0, 100)
	opened := 0
	for i, g := range games {
		first := slices.IndexFunc(g.Values, func(v float32) bool { return v == 1 || v == -1 })
		if first < 0 {
			continue
		}
		for row := first + 1; row < len(g.Weights); row++ {
			if g.Weights[row] != 51 {
				t.Errorf("game %d, row %d: weight %d after a proof in row %d, want 51", i, row, g.Weights[row], first)
			}
			if g.Simulations[row] == 1 {
				opened++
			}
		}
	}
	if opened == 0 {
		t.Error("no root was opened again after its proof")
	}
}

// The arithmetic by hand; a game's weight stays the same, but for rounding.
func TestWeightBySurprise(t *testing.T) {
	for _, test := range []struct {
		name      string
		weights   []uint16
		surprises []float32
		share     float64
		want      []uint16
	}{
		{"a half", []uint16{256, 256, 256, 256}, []float32{0, 1, 1, 2}, 0.5, []uint16{128, 256, 256, 384}},
		{"all", []uint16{256, 256, 256, 256}, []float32{0, 1, 1, 2}, 1, []uint16{0, 256, 256, 512}},
		// The mean is (256 * 1 + 64 * 3) / 320 = 1.4, so the factors are 0.5 + 0.5 / 1.4 and 0.5 + 1.5 / 1.4.
		{"by weight", []uint16{256, 0, 64}, []float32{1, 100, 3}, 0.5, []uint16{219, 0, 101}},
		{"no surprise", []uint16{256, 51}, []float32{0, 0}, 0.5, []uint16{256, 51}},
		{"none is learned from", []uint16{0, 0}, []float32{1, 2}, 0.5, []uint16{0, 0}},
		{"empty", nil, nil, 0.5, nil},
		{"too much", slices.Repeat([]uint16{256}, 400), append([]float32{1}, make([]float32, 399)...), 1,
			append([]uint16{65535}, make([]uint16, 399)...)},
	} {
		weights := slices.Clone(test.weights)
		if weightBySurprise(weights, test.surprises, test.share); !slices.Equal(weights, test.want) {
			t.Errorf("%s: weights %v, want %v", test.name, weights, test.want)
		}
	}
}

// The divergence by hand: of 3/4 and 1/4 from priors of a half each, log 2 - H(1/4); of the prior itself 0.
func TestSurprise(t *testing.T) {
	rules := mnk.TicTacToe()
	prior := make([]float32, 9)
	prior[2], prior[5] = 0.5, 0.5
	constants := alphaZeroSearch()
	constants.NoiseWeight = 0
	s := newLiveGame(rules, testConfig(), constants)
	s.search.Reset(rules.Start())
	s.search.Select()
	s.search.Expand(prior, 0)
	for _, test := range []struct {
		policy []float32
		want   float64
	}{
		{nil, 0},
		{[]float32{2: 5, 5: 5, 8: 0}, 0},
		{[]float32{2: 75, 5: 25, 8: 0}, 0.75*math.Log(1.5) + 0.25*math.Log(0.5)},
		{[]float32{5: 3, 8: 0}, math.Log(2)},
		{[]float32{8: 1}, math.Log(1e6)}, // a prior of 0 counts as a millionth
	} {
		if got := s.surprise(test.policy); math.Abs(float64(got)-test.want) > 1e-6 {
			t.Errorf("surprise of %v is %v, want %v", test.policy, got, test.want)
		}
	}
}

// Surprise changes nothing but the weights, spares what is not learned from, and keeps each game's sum.
func TestSurpriseShare(t *testing.T) {
	cfg := testConfig()
	cfg.ProvenWeight = 0.5
	plain, _ := generate(t, testPool(mnk.TicTacToe(), cfg, 2, anyValue), 0, 60)
	cfg.SurpriseShare = 0.5
	games, _ := generate(t, testPool(mnk.TicTacToe(), cfg, 2, anyValue), 0, 60)
	more, less := 0, 0
	for i, g := range games {
		before, after := 0, 0
		for row, weight := range g.Weights {
			was := plain[i].Weights[row]
			before, after = before+int(was), after+int(weight)
			switch {
			case (was == 0) != (weight == 0) || float64(weight) < 0.5*float64(was)-0.5:
				t.Errorf("game %d, row %d: weight %d, %d without surprise", i, row, weight, was)
			case weight > was:
				more++
			case weight < was:
				less++
			}
		}
		if d := after - before; d < -len(g.Weights) || d > len(g.Weights) {
			t.Errorf("game %d: weights %v, %v without surprise", i, g.Weights, plain[i].Weights)
		}
		g.Weights = plain[i].Weights
		if encode(t, g) != encode(t, plain[i]) {
			t.Errorf("game %d differs in more than its weights", i)
		}
	}
	if more == 0 || less == 0 {
		t.Errorf("%d positions weigh more and %d less", more, less)
	}
}

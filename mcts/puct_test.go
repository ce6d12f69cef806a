package mcts_test

import (
	"testing"

	"tengen/game"
	"tengen/internal/random"
	"tengen/mcts"
)

// U(s,a) = C(s) P(s,a) sqrt(N(s)) / (1 + N(s,a)), C(s) = ln((1 + N(s) + cBase) / cBase) + cInit (Silver et al. 2018,
// Methods, "Search").
//
// The root has the value 0 and the moves a and b of priors 0.6 and 0.4; the position after a has the value v for its side
// to move. The first simulation expands the root, the second a. Then N = 2 and
//
//	Q(a) + U(a) = -v + C 0.6 sqrt(2) / 2
//	Q(b) + U(b) = -v/2 - 0.2 sqrt(0.6) + C 0.4 sqrt(2)
//
// the value of b being that of the root so far. Solved for v, the third simulation prefers b once v exceeds
//
//	2 (0.2 sqrt(0.6) - C 0.1 sqrt(2)), where 0.2 sqrt(0.6) = 0.154919
func TestPUCTFormula(t *testing.T) {
	for _, test := range []struct {
		name             string
		cInit, threshold float64
	}{
		{"AlphaZero", 1.25, -0.043758},  // C = 1.250153
		{"higher C(s)", 2, -0.255891},   // C = 2.000153
		{"growth of C(s)", 0, 0.309795}, // C = ln(19655 / 19652) = 0.000153
	} {
		cfg := alphaZero()
		cfg.CInit = test.cInit
		for _, side := range []struct {
			v    float64
			want game.Action
		}{
			{test.threshold - 1e-5, letter('a')},
			{test.threshold + 1e-5, letter('b')},
		} {
			ev := written([]float32{0.6, 0.4}, map[string]float32{"a": float32(side.v)})
			s := searched(t, cfg, toyActions, newToy("a b"), ev, 2)
			if leaf, _ := s.Select(); game.Action(leaf.Path[0]-'a') != side.want {
				t.Errorf("%s: the third simulation goes to %s when v = %v", test.name, leaf.Path, side.v)
			}
		}
	}
}

// A move never tried is not worth less than a certain loss. The root has the value -0.95, its move a of prior 0.65 loses, so
// that N = 2 and
//
//	Q(a) + U(a) = -1 + C 0.65 sqrt(2) / 2 = -1 + 0.574595
//	Q(b) + U(b) = -1 + C 0.35 sqrt(2)     = -1 + 0.618795
//
// the reduced value of b being (-0.95 - 1) / 2 - 0.2 sqrt(0.65) = -1.136245.
func TestFirstPlayValueIsNoWorseThanLoss(t *testing.T) {
	ev := written([]float32{0.65, 0.35}, map[string]float32{"": -0.95, "a": 1})
	s := searched(t, alphaZero(), toyActions, newToy("a b"), ev, 2)
	if leaf, _ := s.Select(); leaf.Path != "b" {
		t.Errorf("the third simulation goes to %q", leaf.Path)
	}
}

// A move entered before goes before an equal one that is new. Of three moves a with all the prior loses to the reply. b
// looks lost, and so does the root, so that c too is worth -1 at first.
func TestEqualMovesEnteredFirst(t *testing.T) {
	ev := written([]float32{1, 0, 0}, map[string]float32{"": -1, "b": 1})
	s := searched(t, alphaZero(), toyActions, newToy("aa=-1 b c"), ev, 3)
	if leaf, _ := s.Select(); leaf.Path != "ba" {
		t.Errorf("the fourth simulation goes to %q", leaf.Path)
	}
}

// A simulation in flight counts as a visit that lost (Chaslot et al. 2008, section 3.3). With the priors 0.9 and 0.1 and
// one simulation in flight through a, N = 2 and
//
//	Q(a) + U(a) = -1 + C 0.9 sqrt(2) / 2
//	Q(b) + U(b) = -0.2 sqrt(0.9) + C 0.1 sqrt(2)
//
// which are equal for C = 1.636979, that is c_init = 1.636826.
func TestVirtualLoss(t *testing.T) {
	for _, test := range []struct {
		cInit float64
		want  mcts.Status
	}{
		{1.6369, mcts.Collision}, // a again, which waits
		{1.6368, mcts.Leaf},      // b
	} {
		cfg := alphaZero()
		cfg.CInit = test.cInit
		s := searched(t, cfg, toyActions, newToy("a b"), written([]float32{0.9, 0.1}, nil), 1)
		s.Select()
		if _, status := s.Select(); status != test.want {
			t.Errorf("c_init %v: status %d, want %d", test.cInit, status, test.want)
		}
	}
}

// The priors count over the legal moves alone; without any, the moves are equally likely.
func TestPriorsAreNormalised(t *testing.T) {
	for _, test := range []struct {
		priors []float32
		want   [2]float32
	}{
		{[]float32{0.125, 0.375}, [2]float32{0.25, 0.75}},
		{[]float32{0, 0}, [2]float32{0.5, 0.5}},
	} {
		s := searched(t, alphaZero(), toyActions, newToy("a b"), written(test.priors, nil), 1)
		stats := s.Stats(nil)
		if got := [2]float32{stats[0].Prior, stats[1].Prior}; got != test.want {
			t.Errorf("priors %v become %v, want %v", test.priors, got, test.want)
		}
	}
}

// At a root that explores RootFirstPlayReduction rules, elsewhere 0.2. After two simulations, as in TestPUCTFormula, with
// Q(a) = 0, the third prefers b to a while the reduction is below C 0.1 sqrt(2) / sqrt(0.6) = 0.228232.
func TestRootFirstPlayReduction(t *testing.T) {
	for _, test := range []struct {
		root     float64
		explores bool
		want     game.Action
	}{
		{0.5, true, letter('a')},
		{0.1, true, letter('b')},
		{0.5, false, letter('b')},
	} {
		cfg := alphaZero()
		cfg.NoiseWeight, cfg.RootFirstPlayReduction = 0, test.root
		s := mcts.New[toy](cfg, toyActions)
		s.Reset(newToy("a b"))
		if test.explores {
			s.Begin(3, random.New(1, random.Test))
		}
		step(t, s, written([]float32{0.6, 0.4}, nil), 2)
		if leaf, _ := s.Select(); game.Action(leaf.Path[0]-'a') != test.want {
			t.Errorf("%+v: the third simulation goes to %q", test, leaf.Path)
		}
	}
}

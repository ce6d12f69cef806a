package mcts_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"tengen/game"
	"tengen/game/connect4"
	"tengen/internal/errtest"
	"tengen/internal/random"
	"tengen/mcts"
)

// Proofs correct the visit counts: a proven win takes all weight, a proven loss has none while anything else is left.
func TestPolicyCorrections(t *testing.T) {
	ev := written([]float32{0.5, 0.3, 0.2}, nil)
	for _, test := range []struct {
		name, lines string
		simulations int
		want        []bool // whether the moves a, b, c have weight
	}{
		{"nothing known", "a b c", 30, []bool{true, true, true}},
		{"a win", "a b=-1 c", 30, []bool{false, true, false}},
		{"a loss", "a=+1 b c", 30, []bool{false, true, true}},
		{"a draw counts its visits", "a=0 b c", 30, []bool{true, true, true}},
		{"a draw beside losses", "a=+1 b=0 c=+1", 30, []bool{false, true, false}},
		{"all lost", "aa=-1 ba=-1 ca=-1", 30, []bool{true, true, true}},
		{"all lost at once: their priors", "a=+1 b=+1 c=+1", 30, []bool{true, true, true}},
		{"the root just expanded", "a b c", 1, []bool{true, false, false}},
		{"the only visited move is lost", "a=+1 b c", 2, []bool{false, true, false}},
		{"one visit, to a move behind a known draw", "a b c=0", 2, []bool{true, false, false}},
	} {
		s := searched(t, alphaZero(), toyActions, newToy(test.lines), ev, test.simulations)
		d := mcts.Decision{Policy: slices.Repeat([]float32{99}, toyActions)} // to be overwritten
		s.Decide(1, random.New(1, random.Test), &d)
		if d.Policy[d.Action] == 0 || d.Value != s.Value() || d.Proven != s.Proven() {
			t.Errorf("%s: %+v", test.name, d)
		}
		for a, weight := range d.Policy {
			want := a < len(test.want) && test.want[a]
			if weight < 0 || weight > 0 != want {
				t.Errorf("%s: move %d has the weight %v", test.name, a, weight)
			}
		}
	}
}

// Without proofs the policy is the visits (Silver et al. 2017, Methods, "Play"), the move is SelectMove's from it, and the next
// search reuses the decision's memory.
func TestDecisionIsDrawnFromThePolicy(t *testing.T) {
	g := connect4.Standard()
	s := searched(t, alphaZero(), g.Actions(), g.Start(), hashed[connect4.State](1), 50)
	moves := map[game.Action]bool{}
	var d mcts.Decision
	for seed := range uint64(100) {
		s.Decide(2, random.New(seed, random.Test), &d)
		if want := mcts.SelectMove(d.Policy, 2, random.New(seed, random.Test)); d.Action != want {
			t.Errorf("plays %d, the policy %v gives %d", d.Action, d.Policy, want)
		}
		moves[d.Action] = true
	}
	for _, stat := range s.Stats(nil) {
		if d.Policy[stat.Action] != float32(stat.Visits) {
			t.Errorf("move %d: weight %v, visits %d", stat.Action, d.Policy[stat.Action], stat.Visits)
		}
	}
	if len(moves) < 3 {
		t.Errorf("in 100 draws only the moves %v", moves)
	}
	before := &d.Policy[0]
	s.Advance(d.Action)
	run(t, s, hashed[connect4.State](1))
	if s.Decide(0, random.New(1, random.Test), &d); &d.Policy[0] != before || d.Value != s.Value() {
		t.Errorf("the decision %+v has memory of its own, or not the value %v", d, s.Value())
	}
}

// However few the simulations, a move that is proven lost is never played while another is left.
func TestNeverPlaysIntoProvenLoss(t *testing.T) {
	for _, explores := range []bool{false, true} {
		seen := 0
		for seed := range uint64(300) {
			rng := random.New(seed, random.Test)
			s := begun(alphaZero(), bushActions, newBush(seed), 2+int(seed)%40, nil)
			if explores {
				s.Begin(1+int(seed)%40, rng)
			}
			run(t, s, hashed[bush](seed))
			d := decided(s, 1, random.New(seed, random.Test))
			isLost := func(s mcts.Stat) bool { return s.Proven == game.Loss }
			if stats := s.Stats(nil); slices.ContainsFunc(stats, isLost) && s.Proven() != game.Loss {
				seen++
				if statOf(t, s, d.Action).Proven == game.Loss || d.Policy[d.Action] == 0 {
					t.Errorf("bush %d: plays %d of %v", seed, d.Action, stats)
				}
			}
		}
		if seen < 30 {
			t.Errorf("only %d games had lost moves beside others", seen)
		}
	}
}

// Before the first simulation there is nothing to decide, and when the game is over neither.
func TestDecidePanics(t *testing.T) {
	s := mcts.New[toy](alphaZero(), toyActions)
	s.Reset(newToy("a b"))
	errtest.Panics(t, func() { decided(s, 0, random.New(1, random.Test)) })
	s.Reset(newToy("=-1"))
	run(t, s, nil)
	if !s.Done() {
		t.Error("the game is over, the search is not")
	}
	errtest.Panics(t, func() { decided(s, 0, random.New(1, random.Test)) })
}

// The principal variation follows the most visited moves, and proofs before visits.
func TestPV(t *testing.T) {
	for _, test := range []struct {
		lines, want string
	}{
		{"ab=-1 b", "ba"}, // a is lost, b goes on
		{"aba=-1 abb aa ac=-1 b=0", "b"},
		{"aaa=-1 ab b=+1", "aba"},
	} {
		s := searched(t, alphaZero(), toyActions, newToy(test.lines), &mcts.Uniform[toy]{}, 8)
		if line := word(s.PV(nil)); !strings.HasPrefix(line, test.want) {
			t.Errorf("%q: principal variation %q, want it to start %q", test.lines, line, test.want)
		}
	}
	s := searched(t, alphaZero(), toyActions, newToy("a b"), written([]float32{0.9, 0.1}, nil), 3)
	if line := word(searched(t, alphaZero(), toyActions, newToy("a b"), &mcts.Uniform[toy]{}, 3).PV(nil)); line != "a" {
		t.Errorf("principal variation %q of moves with a visit each, want the first", line)
	}
	if pv := s.PV(nil); !slices.Equal(pv, []game.Action{0, 0}) {
		t.Errorf("principal variation %v after two visits to a, want it to end where nothing was visited", pv)
	}
}

func TestPVFollowsVisits(t *testing.T) {
	g := connect4.Standard()
	s := searched(t, alphaZero(), g.Actions(), g.Start(), hashed[connect4.State](1), 500)
	pv := s.PV([]game.Action{99})
	if pv[0] != 99 || len(pv) < 4 {
		t.Fatalf("principal variation %v, want some moves appended", pv)
	}
	for _, a := range pv[1:] {
		stats := s.Stats(nil)
		best := slices.MaxFunc(stats, func(x, y mcts.Stat) int { return x.Visits - y.Visits })
		if statOf(t, s, a).Visits != best.Visits {
			t.Errorf("principal variation %v takes move %d, the most visited is %d", pv, a, best.Action)
		}
		s.Advance(a)
	}
}

// The move is drawn in proportion to N^(1/temperature) (Silver et al. 2017, Methods, "Play"). A chi-square test at 0.1 %.
func TestSelectMoveIsProportional(t *testing.T) {
	policy := []float32{10, 0, 20, 30, 0, 40}
	const draws = 20_000
	for _, test := range []struct {
		temperature float64
		weights     []float64
	}{
		{1, []float64{10, 0, 20, 30, 0, 40}},
		{0.5, []float64{100, 0, 400, 900, 0, 1600}},
		{2, []float64{math.Sqrt(10), 0, math.Sqrt(20), math.Sqrt(30), 0, math.Sqrt(40)}},
		{1e9, []float64{1, 0, 1, 1, 0, 1}},
	} {
		rng := random.New(7, random.Test)
		counts := make([]float64, len(policy))
		for range draws {
			counts[mcts.SelectMove(policy, test.temperature, rng)]++
		}
		sum, chiSquare := 0.0, 0.0
		for _, w := range test.weights {
			sum += w
		}
		for a, w := range test.weights {
			expected := draws * w / sum
			if expected == 0 && counts[a] > 0 {
				t.Fatalf("temperature %v: move %d of weight 0 was drawn", test.temperature, a)
			}
			if expected > 0 {
				chiSquare += (counts[a] - expected) * (counts[a] - expected) / expected
			}
		}
		if chiSquare > 16.27 { // 3 degrees of freedom
			t.Errorf("temperature %v: counts %v, chi-square %.1f", test.temperature, counts, chiSquare)
		}
	}
}

// Temperature 0 takes the largest weight, equal ones being equally likely; so do temperatures too small to compute with. Every
// temperature takes the only weight.
func TestSelectMoveTakesTheLargest(t *testing.T) {
	policy := []float32{3, 800, 0, 800, 799.9}
	for _, temperature := range []float64{0, 1e-3, 1, 100, math.Inf(1)} {
		if a := mcts.SelectMove([]float32{0, 0, 1e-30, 0}, temperature, random.New(7, random.Test)); a != 2 {
			t.Errorf("temperature %v: move %d", temperature, a)
		}
	}
	errtest.Panics(t, func() { mcts.SelectMove(make([]float32, 3), 1, random.New(7, random.Test)) })
	for _, temperature := range []float64{0, 1e-6, 1e-300, 5e-324} {
		rng := random.New(7, random.Test)
		counts := make([]int, len(policy))
		for range 1000 {
			counts[mcts.SelectMove(policy, temperature, rng)]++
		}
		if counts[1]+counts[3] != 1000 || counts[1] < 400 || counts[3] < 400 {
			t.Errorf("temperature %v: counts %v", temperature, counts)
		}
	}
}

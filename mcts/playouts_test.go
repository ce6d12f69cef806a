package mcts_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"tengen/game"
	"tengen/game/connect4"
	"tengen/game/mnk"
	"tengen/internal/random"
	"tengen/mcts"
)

// Playouts are forced where the search explores, nowhere else.
func TestForcedPlayoutsOnlyWhereItExplores(t *testing.T) {
	g := connect4.Standard()
	ev := hashed[connect4.State](1)
	cfg := alphaZero()
	want := searched(t, cfg, g.Actions(), g.Start(), ev, 300)
	cfg.ForcedPlayouts, cfg.RootPolicyTemperature, cfg.RootFirstPlayReduction = 100, 3, 0
	got := searched(t, cfg, g.Actions(), g.Start(), ev, 300)
	checkSame(t, got, want)
}

// What is proven about a move is known: its playouts are not forced.
func TestProvenMovesAreNotForced(t *testing.T) {
	cfg := alphaZero()
	cfg.NoiseWeight, cfg.ForcedPlayouts = 0, 100
	ev := written([]float32{0.4, 0.2, 0.2, 0.2}, map[string]float32{"": 0.5, "b": -0.5, "d": 0.5})
	s := explored(t, cfg, toyActions, newToy("aa=-1 b ca=0 d"), ev, 100, 1)
	lost, drawn := statOf(t, s, letter('a')), statOf(t, s, letter('c'))
	if lost.Proven != game.Loss || lost.Visits != 1 || drawn.Proven != game.Draw || drawn.Visits > 20 {
		t.Errorf("the lost move has %+v, the drawn one %+v", lost, drawn)
	}
	// d is worse than the draw, but open: sqrt(100 0.2 99) = 44.
	if forced := statOf(t, s, letter('d')).Visits; forced < 40 {
		t.Errorf("the worse move has %d visits", forced)
	}
	for a, weight := range decided(s, 1, random.New(1, random.Test)).Policy {
		if want := a >= 1 && a <= 3; weight > 0 != want {
			t.Errorf("move %d has the weight %v", a, weight)
		}
	}
}

// prunedByHand is the pruned policy as Wu 2019, section 3.2, and pruneVisits define it, from what a search says about its moves.
func prunedByHand(cfg mcts.Config, stats []mcts.Stat, actions int) []float64 {
	visits := 1.0
	best := -1
	for i, s := range stats {
		visits += float64(s.Visits)
		if s.Proven != game.Loss && (best < 0 || s.Visits > stats[best].Visits) {
			best = i
		}
	}
	c := math.Log((1+visits+19652)/19652) + cfg.CInit
	puct := func(s mcts.Stat, visits, of float64) float64 {
		return float64(s.Q) + c*float64(s.Prior)*math.Sqrt(of)/(1+visits)
	}
	policy := make([]float64, actions)
	for i, s := range stats {
		kept := float64(s.Visits)
		if s.Proven == game.Loss {
			kept = 0
		}
		if i != best {
			if excess := puct(stats[best], float64(stats[best].Visits), visits) - float64(s.Q); excess > 0 {
				kept = min(kept, c*float64(s.Prior)*math.Sqrt(visits)/excess-1)
			}
			if kept <= 1 {
				kept = 0
			}
		}
		policy[s.Action] = kept
	}
	return policy
}

// The target is the visits without those that PUCT, with the final values, would not have spent, and the move is drawn from it.
func TestPruneTarget(t *testing.T) {
	root := mustMNK(t, "6,6,4").Start()
	cfg := alphaZero()
	cfg.ForcedPlayouts = 2
	pruned, gone := 0, 0
	for seed := range uint64(20) {
		s := explored(t, cfg, 36, root, hashed[mnk.State](seed), 200, seed)
		stats := s.Stats(nil)
		most := slices.MaxFunc(stats, func(a, b mcts.Stat) int { return a.Visits - b.Visits }).Visits
		d := decided(s, 1, random.New(seed, random.Test))
		want := prunedByHand(cfg, stats, 36)
		for _, stat := range stats {
			got := float64(d.Policy[stat.Action])
			if math.Abs(got-want[stat.Action]) > 1e-3 {
				t.Errorf("seed %d: %+v has the weight %v, want %v", seed, stat, got, want[stat.Action])
			}
			switch {
			case got == 0 && stat.Visits > 0:
				gone++
			case got < float64(stat.Visits):
				pruned++
			}
		}
		if slices.Max(d.Policy) != float32(most) {
			t.Errorf("seed %d: the best move has %d visits and the weight %v", seed, most, slices.Max(d.Policy))
		}
		if want := mcts.SelectMove(d.Policy, 1, random.New(seed, random.Test)); d.Action != want {
			t.Errorf("seed %d: plays %d, the policy gives %d", seed, d.Action, want)
		}
	}
	if pruned < 20 || gone < 20 {
		t.Errorf("%d moves were pruned, %d of them to nothing: too few to tell", pruned+gone, gone)
	}
}

// Where the root is decided, pruning takes nothing from what is worth playing.
func TestPruneTargetOfProvenRoot(t *testing.T) {
	ev := written([]float32{0.9, 0.08, 0.02}, map[string]float32{"a": -0.9})
	for _, lines := range []string{"a b c=-1", "a ba=+1 c", "a ca=+1 cb=+1 b", "aa=-1 ba=-1 ca=-1", "aa=-1 ba=0 ca=-1"} {
		var policies [2][]float32
		for i := range policies {
			cfg := alphaZero()
			cfg.NoiseWeight, cfg.ForcedPlayouts = 0, float64(2*i)
			s := explored(t, cfg, toyActions, newToy(lines), ev, 2000, 1)
			if s.Proven() == game.Unknown {
				t.Fatalf("%q: nothing is proven", lines)
			}
			policies[i] = decided(s, 1, random.New(1, random.Test)).Policy
		}
		if fmt.Sprint(policies[0]) != fmt.Sprint(policies[1]) {
			t.Errorf("%q: the policy is %v, pruned %v", lines, policies[0], policies[1])
		}
	}
}

// After one simulation no move was visited, and one has a weight all the same.
func TestPruneTargetOfNothing(t *testing.T) {
	cfg := alphaZero()
	cfg.ForcedPlayouts = 2
	s := explored(t, cfg, toyActions, newToy("a b"), written(nil, nil), 1, 1)
	if d := decided(s, 1, random.New(1, random.Test)); d.Policy[d.Action] != 1 {
		t.Errorf("plays %d of the policy %v", d.Action, d.Policy)
	}
}

package mcts_test

import (
	"math"
	"slices"
	"testing"

	"tengen/game"
	"tengen/game/connect4"
	"tengen/game/forced"
	"tengen/game/gametest"
	"tengen/internal/random"
	"tengen/mcts"
	"tengen/mcts/internal/searchtest"
)

// withProver is the default search with a prover at its leaves.
func withProver(nodes int) mcts.Config {
	cfg := alphaZero()
	cfg.ForcedNodes = nodes
	return cfg
}

// proving is a search with a prover from a random position of Connect Four, nil where the game is over.
func proving(seed uint64) *mcts.Search[connect4.State] {
	g, rng := connect4.Standard(), random.New(seed, random.Test)
	root := searchtest.RandomPosition(g, rng.IntN(20), rng)
	if _, over := root.Outcome(); over {
		return nil
	}
	s := mcts.New[connect4.State](withProver(100), g.Actions())
	s.Reset(root)
	return s
}

// Where there is nothing to prove, without lines or with few nodes, a prover does not change the search. Neither do moves that land
// on no cell, and so are never legal.
func TestProverWithoutProofs(t *testing.T) {
	for seed := range uint64(20) {
		ev := hashed[bush](seed)
		checkSame(t, searched(t, withProver(100), bushActions, newBush(seed), ev, 200), searched(t, alphaZero(), bushActions, newBush(seed), ev, 200))
	}
	g := connect4.Standard()
	for seed := range uint64(3) {
		ev := hashed[connect4.State](seed)
		checkSame(t, searched(t, withProver(1), g.Actions(), g.Start(), ev, 12), searched(t, alphaZero(), g.Actions(), g.Start(), ev, 12))
		want := searched(t, withProver(20), g.Actions(), g.Start(), ev, 100).Stats(nil)
		if got := searched(t, withProver(20), g.Actions()+100, g.Start(), ev, 100).Stats(nil); !slices.Equal(got, want) {
			t.Errorf("%+v; without such moves %+v", got, want)
		}
	}
}

// No evaluation is spent on what is proven: below the root, no leaf has a result or but one move that does not lose, and none
// is reached by a move that loses.
func TestProvenLeavesAreNotEvaluated(t *testing.T) {
	t.Run("connect four", func(t *testing.T) { checkEvaluated(t, connect4.Standard(), 30) })
	t.Run("6,6,4", func(t *testing.T) { checkEvaluated(t, mustMNK(t, "6,6,4"), 10) })
	t.Run("9,9,5", func(t *testing.T) { checkEvaluated(t, mustMNK(t, "9,9,5"), 5) })
}

func checkEvaluated[S game.State[S]](t *testing.T, g game.Game[S], games int) {
	const nodes = 50
	p := forced.New[S]()
	evaluations, simulations := 0, 0
	for seed := range uint64(games) {
		rng := random.New(seed, random.Test)
		root := searchtest.RandomPosition(g, rng.IntN(g.MaxPlies()/2), rng)
		if _, over := root.Outcome(); over {
			continue
		}
		ev := evaluatorFunc[S](func(leaf S, prior []float32) float32 {
			evaluations++
			found, left := p.Examine(leaf, nodes), 0
			for _, a := range leaf.Legal(nil) {
				if found.Moves[a] != game.Loss {
					left++
				}
			}
			if below := leaf.Ply() > root.Ply(); below && (found.Result != game.Unknown || left < 2) {
				t.Fatalf("%x, a %v with %d moves left, was evaluated", leaf.Key(), found.Result, left)
			}
			return hashed[S](seed)(leaf, prior)
		})
		s := begun(withProver(nodes), g.Actions(), root, 200, nil)
		drive(t, s, mcts.Evaluator[S](ev), 1+rng.IntN(4))
		if err := s.CheckOrder(); err != nil {
			t.Fatal(err)
		}
		simulations += s.Simulations()
	}
	if evaluations >= simulations {
		t.Errorf("%d evaluations of %d simulations: nothing was proven", evaluations, simulations)
	}
}

// A root is expanded and evaluated whatever is proven of it, so that there is a move to play and priors to look at: moves that
// lose have none of the prior, and the others share it as they did.
func TestProverAtTheRoot(t *testing.T) {
	g := connect4.Standard()
	priors := []float32{0.4, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1}
	ev := evaluatorFunc[connect4.State](func(_ connect4.State, prior []float32) float32 { copy(prior, priors); return 0.25 })
	for _, test := range []struct {
		name, moves string
		proven      game.Result
		priors      []float32
		policy      []float32 // after one simulation
	}{
		{"a win in three", "4433", game.Win, priors, []float32{0, 1, 0, 0, 0, 0, 0}},
		{"two defences", "443", game.Unknown, []float32{0, 0.5, 0, 0, 0.5, 0, 0}, []float32{0, 1, 0, 0, 0, 0, 0}},
		{"one defence", "1122336", game.Unknown, []float32{0, 0, 0, 1, 0, 0, 0}, []float32{0, 0, 0, 1, 0, 0, 0}},
		{"all moves lose: the priors", "44335", game.Loss, priors, priors},
	} {
		s := searched(t, withProver(100), g.Actions(), gametest.Replay(t, g, test.moves), ev, 1)
		if s.Proven() != test.proven {
			t.Errorf("%s: proven a %v", test.name, s.Proven())
		}
		d := decided(s, 1, random.New(1, random.Test))
		for _, stat := range s.Stats(nil) {
			if a := stat.Action; !near(stat.Prior, test.priors[a]) || !near(d.Policy[a], test.policy[a]) {
				t.Errorf("%s: move %s has the prior %v and the weight %v; want %v and %v",
					test.name, g.Start().Format(a), stat.Prior, d.Policy[a], test.priors[a], test.policy[a])
			}
		}
	}
}

// near reports whether two weights differ by rounding at most.
func near(a, b float32) bool { return math.Abs(float64(a-b)) < 1e-6 }

// Where the network gives all of the prior to moves that lose, the others are equal.
func TestPriorOfLostMovesOnly(t *testing.T) {
	g := connect4.Standard()
	ev := evaluatorFunc[connect4.State](func(_ connect4.State, prior []float32) float32 { prior[6] = 1; return 0 })
	s := searched(t, withProver(100), g.Actions(), gametest.Replay(t, g, "443"), ev, 1)
	for _, stat := range s.Stats(nil) {
		if want := map[game.Action]float32{1: 0.5, 4: 0.5}[stat.Action]; stat.Prior != want {
			t.Errorf("move %s has the prior %v; want %v", g.Start().Format(stat.Action), stat.Prior, want)
		}
	}
}

// A move that was proven as a leaf can be played, and the search continues from there.
func TestAdvanceToProvenLeaf(t *testing.T) {
	g := connect4.Standard()
	ev := hashed[connect4.State](1)
	s := searched(t, withProver(100), g.Actions(), gametest.Replay(t, g, "443"), ev, 100)
	for _, stat := range s.Stats(nil) {
		if stat.Action != 1 && stat.Action != 4 && stat.Proven != game.Loss {
			t.Errorf("move %s is a %v", g.Start().Format(stat.Action), stat.Proven)
		}
	}
	if s.ProvenEarlier() {
		t.Error("the first root is decided before it is searched")
	}
	s.Advance(0) // the opponent has two open ends now
	if !s.ProvenEarlier() {
		t.Error("a root that was proven as a leaf is not decided")
	}
	if s.Done() || s.Proven() != game.Unknown {
		t.Fatalf("done %t, proven a %v, before the new root is expanded", s.Done(), s.Proven())
	}
	run(t, s, ev)
	if d := decided(s, 0, random.New(1, random.Test)); d.Proven != game.Win || d.Action != 1 && d.Action != 4 || s.Simulations() != 1 {
		t.Errorf("plays %s, proven a %v, after %d simulations", g.Start().Format(d.Action), d.Proven, s.Simulations())
	}
}

// A root that was proven before it was searched is decided, until the search starts from a position of its own.
func TestResetForgetsThatTheRootWasDecided(t *testing.T) {
	s := searched(t, alphaZero(), toyActions, newToy("aaa=+1"), written(nil, nil), 5)
	s.Advance(letter('a'))
	if !s.ProvenEarlier() || s.Proven() == game.Unknown {
		t.Fatalf("a proven root is decided: %t", s.ProvenEarlier())
	}
	s.Reset(s.Root())
	if s.ProvenEarlier() || s.Proven() != game.Unknown {
		t.Errorf("after Reset the root is decided: %t, proven: %v", s.ProvenEarlier(), s.Proven())
	}
}

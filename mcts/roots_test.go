package mcts_test

import (
	"errors"
	"slices"
	"testing"

	"tengen/game"
	"tengen/game/connect4"
	"tengen/mcts"
)

// careful is an evaluator with an opinion of its own of roots. It counts the positions of both kinds.
type careful struct {
	evaluatorFunc[connect4.State]
	of            evaluatorFunc[connect4.State] // roots
	leaves, roots *int
	err           error
}

func (c careful) Evaluate(leaves []connect4.State, priors [][]float32, values []float32) error {
	*c.leaves += len(leaves)
	return c.evaluatorFunc.Evaluate(leaves, priors, values)
}

func (c careful) EvaluateRoots(roots []connect4.State, priors [][]float32, values []float32) error {
	*c.roots += len(roots)
	if c.err != nil {
		return c.err
	}
	return c.of.Evaluate(roots, priors, values)
}

func newCareful(seed uint64) careful {
	return careful{hashed[connect4.State](seed), hashed[connect4.State](seed + 1000), new(int), new(int), nil}
}

// Roots asks about positions as roots.
func TestRootsOfAnEvaluator(t *testing.T) {
	ev, g := newCareful(1), connect4.Standard()
	priors, values := [][]float32{make([]float32, g.Actions())}, make([]float32, 1)
	if err := mcts.Roots[connect4.State](ev).Evaluate([]connect4.State{g.Start()}, priors, values); err != nil || *ev.roots != 1 || *ev.leaves != 0 {
		t.Errorf("%d roots, %d leaves, error %v", *ev.roots, *ev.leaves, err)
	}
}

// Roots are evaluated as such, a simulation each, and all other positions as leaves: the search is that of an evaluator which
// can tell the root.
func TestRootsAreEvaluatedAsSuch(t *testing.T) {
	g := connect4.Standard()
	ev := newCareful(1)
	var searches, want []*mcts.Search[connect4.State]
	for _, first := range []game.Action{0, 3, 5} {
		root := g.Start().Play(first)
		searches = append(searches, begun(alphaZero(), g.Actions(), root, 1, nil))
		telling := evaluatorFunc[connect4.State](func(leaf connect4.State, prior []float32) float32 {
			if leaf == root {
				return ev.of(leaf, prior)
			}
			return ev.evaluatorFunc(leaf, prior)
		})
		want = append(want, searched(t, alphaZero(), g.Actions(), root, telling, 100))
	}
	for _, n := range []int{1, 100} {
		for _, s := range searches {
			s.Begin(n, nil)
		}
		if err := mcts.Drive(t.Context(), searches, []mcts.Evaluator[connect4.State]{ev}, mcts.DriveOptions{Batch: 2}); err != nil {
			t.Fatal(err)
		}
		if *ev.roots != 3 || *ev.leaves > 3*(n-1) || searches[0].Simulations() != n {
			t.Errorf("%d roots, %d leaves for 3 searches of %d simulations", *ev.roots, *ev.leaves, searches[0].Simulations())
		}
	}
	for i, s := range searches {
		if got, want := s.Stats(nil), want[i].Stats(nil); !slices.Equal(got, want) {
			t.Errorf("search %d has %v, want %v", i, got, want)
		}
	}
}

// A root that is expanded stays as it is, and an evaluator's error is Drive's.
func TestExpandedRootsStay(t *testing.T) {
	g := connect4.Standard()
	ev := newCareful(2)
	s := searched(t, alphaZero(), g.Actions(), g.Start(), ev, 200)
	s.Advance(3)
	if run(t, s, ev); *ev.roots != 1 {
		t.Errorf("%d roots evaluated for a search and the next from what it has kept", *ev.roots)
	}
	ev.err = errors.New("broken")
	s.Reset(g.Start())
	if err := mcts.Drive(t.Context(), []*mcts.Search[connect4.State]{s}, []mcts.Evaluator[connect4.State]{ev}, mcts.DriveOptions{Batch: 1}); !errors.Is(err, ev.err) {
		t.Errorf("the error is %v, want %v", err, ev.err)
	}
}

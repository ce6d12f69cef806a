package mcts

import "tengen/game"

// RootEvaluator is an Evaluator that takes more care over the positions that somebody asks about than over those that a search
// comes to: there are few of them, and their priors guide the whole search.
type RootEvaluator[S any] interface {
	Evaluator[S]

	// EvaluateRoots is Evaluate for positions that are asked about.
	EvaluateRoots(roots []S, priors [][]float32, values []float32) error
}

// Roots is the evaluator of positions that are asked about: ev, by its EvaluateRoots if it is a RootEvaluator.
func Roots[S any](ev Evaluator[S]) Evaluator[S] {
	if careful, ok := ev.(RootEvaluator[S]); ok {
		return ofRoots[S]{careful}
	}
	return ev
}

type ofRoots[S any] struct{ careful RootEvaluator[S] }

// Evaluate implements Evaluator.
func (r ofRoots[S]) Evaluate(roots []S, priors [][]float32, values []float32) error {
	return r.careful.EvaluateRoots(roots, priors, values)
}

// OpenRoots opens the roots of searches by a RootEvaluator, a simulation each, for Run and Lockstep to go on from. It does
// nothing where ev is none, and leaves alone a root that Advance has found open. Errors and panics are those of Run.
func OpenRoots[S game.State[S]](searches []*Search[S], ev Evaluator[S]) error {
	if _, ok := ev.(RootEvaluator[S]); !ok || len(searches) == 0 {
		return nil
	}
	b := newBatch(len(searches), searches...)
	for _, s := range searches {
		if s.tree.edges[0].child == 0 {
			b.add(s)
		}
	}
	return b.flush(Roots(ev))
}

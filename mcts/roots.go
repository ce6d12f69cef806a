package mcts

// RootEvaluator is an Evaluator that scores root positions more carefully: they are few, and their priors guide the
// whole search.
type RootEvaluator[S any] interface {
	Evaluator[S]

	// EvaluateRoots is Evaluate for root positions.
	EvaluateRoots(roots []S, priors [][]float32, values []float32) error
}

// Roots returns an evaluator for root positions: ev's EvaluateRoots if it is a RootEvaluator, else ev.
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

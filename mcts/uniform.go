package mcts

import "tengen/game"

// Uniform is an evaluator that knows nothing: equal priors over the legal moves and value 0. It serves tests, and the
// measurement of the search's own speed. The zero value is ready; it belongs to one goroutine.
type Uniform[S game.State[S]] struct {
	legal []game.Action
}

// Evaluate implements Evaluator. It never fails.
func (u *Uniform[S]) Evaluate(leaves []S, priors [][]float32, values []float32) error {
	for i, s := range leaves {
		clear(priors[i])
		u.legal = s.Legal(u.legal[:0])
		for _, a := range u.legal {
			priors[i][a] = 1 / float32(len(u.legal))
		}
		values[i] = 0
	}
	return nil
}

package net

import (
	"fmt"
	"math"

	"tengen/game"
	"tengen/internal/portable"
)

// Evaluator scores positions for the search. It is not safe for concurrent use.
type Evaluator[S game.State[S]] struct {
	inference *client
	legal     []game.Action
}

// NewEvaluator compiles the network of w for batches of at least 1. The weights must fit the game, see Model.Check.
func NewEvaluator[S game.State[S]](w *Weights, batch int) *Evaluator[S] {
	return newEvaluator[S](&client{Inference: NewInference(w, batch)})
}

// NewEvaluatorOf returns an evaluator with the weights that s has at each call. On a device, its batch must not be
// larger than the server's.
func NewEvaluatorOf[S game.State[S]](s *Server, batch int) *Evaluator[S] {
	return newEvaluator[S](s.client(batch))
}

func newEvaluator[S game.State[S]](c *client) *Evaluator[S] {
	return &Evaluator[S]{inference: c, legal: make([]game.Action, 0, c.weights.Shape.Actions)}
}

// Evaluate scores any number of positions. It sets priors[i], [Actions], to the softmax of the logits over the legal
// moves and 0 elsewhere, and values[i] to the expected outcome for the side to move, in [-1, 1]. Both depend only on
// the position and the weights. Evaluate returns an error when the network's output is not finite.
func (e *Evaluator[S]) Evaluate(leaves []S, priors [][]float32, values []float32) error {
	for len(leaves) > 0 {
		n := min(len(leaves), e.inference.Batch())
		for i, leaf := range leaves[:n] {
			leaf.Encode(e.inference.Input(i))
		}
		e.inference.Forward(n)
		for i, leaf := range leaves[:n] {
			values[i] = e.inference.Value(i)
			if err := e.legalPriors(leaf, e.inference.Logits(i), values[i], priors[i]); err != nil {
				return err
			}
		}
		leaves, priors, values = leaves[n:], priors[n:], values[n:]
	}
	return nil
}

// legalPriors sets prior, [Actions], to the softmax over leaf's legal moves, else 0. It returns an error if the output
// is not finite.
func (e *Evaluator[S]) legalPriors(leaf S, logits []float32, value float32, prior []float32) error {
	e.legal = leaf.Legal(e.legal[:0])
	if !maskedSoftmax(prior, logits, e.legal) || !finite(value) {
		return fmt.Errorf("net: the network's output is not finite (value %v): the weights have diverged or are damaged, use another checkpoint",
			value)
	}
	return nil
}

// maskedSoftmax sets prior to the softmax over the legal moves, else 0, and reports whether their logits are finite.
func maskedSoftmax(prior, logits []float32, legal []game.Action) bool {
	clear(prior)
	largest := math.Inf(-1)
	for _, a := range legal {
		if !finite(logits[a]) {
			return false
		}
		largest = max(largest, float64(logits[a]))
	}
	sum := 0.0
	for _, a := range legal {
		sum += portable.Exp(float64(logits[a]) - largest)
	}
	for _, a := range legal {
		prior[a] = float32(portable.Exp(float64(logits[a])-largest) / sum)
	}
	return true
}

package net

import (
	"fmt"
	"math"

	"tengen/game"
	"tengen/internal/gpu"
	"tengen/internal/portable"
)

// Evaluator scores positions for the search. It is not safe for concurrent use.
type Evaluator[S game.State[S]] struct {
	inference *Inference
	legal     []game.Action
}

// NewEvaluator compiles the network of w for batches of at least 1. The weights must fit the game, see Model.Check.
func NewEvaluator[S game.State[S]](w *Weights, batch int) *Evaluator[S] {
	return &Evaluator[S]{inference: NewInference(w, batch), legal: make([]game.Action, 0, w.Shape.Actions)}
}

// Load replaces the weights. It panics when the architecture differs.
func (e *Evaluator[S]) Load(w *Weights) { e.inference.Load(w) }

// LoadFrom is Inference.LoadFrom: evaluators on several cores then read one copy of the filters.
func (e *Evaluator[S]) LoadFrom(from *Evaluator[S]) { e.inference.LoadFrom(from.inference) }

// Accelerate is Inference.Accelerate.
func (e *Evaluator[S]) Accelerate(d *gpu.Device, rows int) { e.inference.Accelerate(d, rows) }

// AccelerateWith is Inference.AccelerateWith.
func (e *Evaluator[S]) AccelerateWith(from *Evaluator[S]) { e.inference.AccelerateWith(from.inference) }

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

// legalPriors sets prior, [Actions], to the softmax over leaf's legal moves, else 0. It returns an error if the output is
// not finite.
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

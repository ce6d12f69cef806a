// Package mcts searches game trees by PUCT, guided by a policy-value evaluator, as in AlphaZero.
//
// A Search grows one tree by simulations. Callers can batch their evaluations: Select walks down to a leaf, the caller
// evaluates the leaf, Expand adds its moves and backs up the value. Drive does this for many trees with one leaf each
// in flight, or for one tree with several.
//
// Begin sets the number of simulations and whether to explore, Done reports the end of the search, Decide returns the
// move to play and the policy to learn. Results that follow from the rules are proven, backed up and never searched
// again. A prover may examine leaves (forced.go).
//
// The tree is two flat slices, which later moves and games reuse, so a warm search allocates nothing. Nodes hold no
// positions: Select replays the moves.
//
// Papers:
//   - Silver et al. 2018, "A general reinforcement learning algorithm that masters chess, shogi, and Go through
//     self-play" (AlphaZero), Methods and pseudocode.
//   - Silver et al. 2017, "Mastering the game of Go without human knowledge" (AlphaGo Zero), Methods.
//   - Winands, Björnsson, Saito 2008, "Monte-Carlo Tree Search Solver".
//   - Wu 2019, "Accelerating Self-Play Learning in Go" (KataGo), arXiv 1902.10565.
//   - Chaslot, Winands, van den Herik 2008, "Parallel Monte-Carlo Tree Search" (virtual loss).
package mcts

import "tengen/game"

// Evaluator scores leaves. It is not safe for concurrent use.
type Evaluator[S any] interface {
	// Evaluate scores leaves, none of which is over. It overwrites priors[i] [Actions] with a distribution over the
	// legal moves, 0 elsewhere, and values[i] with the value in [-1, 1] for the side to move.
	Evaluate(leaves []S, priors [][]float32, values []float32) error
}

// Uniform gives the legal moves equal priors and all positions value 0. The zero value is ready to use. It is not safe
// for concurrent use.
type Uniform[S game.State[S]] struct {
	legal []game.Action
}

// Evaluate never fails.
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

// RootEvaluator is an Evaluator that scores roots more carefully, since their priors guide the whole search.
type RootEvaluator[S any] interface {
	Evaluator[S]
	// EvaluateRoots is Evaluate for roots.
	EvaluateRoots(roots []S, priors [][]float32, values []float32) error
}

// Roots returns an evaluator of roots: ev's EvaluateRoots if it has one, else ev.
func Roots[S any](ev Evaluator[S]) Evaluator[S] {
	if forRoots, ok := ev.(RootEvaluator[S]); ok {
		return ofRoots[S]{forRoots}
	}
	return ev
}

type ofRoots[S any] struct{ careful RootEvaluator[S] }

// Evaluate implements Evaluator.
func (r ofRoots[S]) Evaluate(roots []S, priors [][]float32, values []float32) error {
	return r.careful.EvaluateRoots(roots, priors, values)
}

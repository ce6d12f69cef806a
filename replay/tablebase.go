package replay

import (
	"slices"

	"tengen/game"
)

// Tablebase returns the results of perfect play, -1, 0 or 1 for the side to move, like an endgame tablebase. Positions
// are not over and ascend by ply. It must be safe for concurrent use.
type Tablebase[S any] func(positions []S) []int8

// solve returns the searched positions of g with at most Config.ExactPlies plies to go, and the results of perfect play
// from them, for the side to move.
func (w *Window[S]) solve(g *Record) (states []S, results []int8) {
	first := max(g.Opening, w.rules.MaxPlies()-w.cfg.ExactPlies)
	if first >= len(g.Moves) {
		return nil, nil
	}
	state := position(w.rules, g, first)
	for _, a := range g.Moves[first:] {
		states = append(states, state)
		state = state.Play(a)
	}
	return states, w.tablebase(states)
}

// dropLosingMoves removes moves that give away a position's value from the last policies of g, given the states and
// results from solve. The others keep their proportions; if none remain, all moves that keep the value share equally.
// Positions without a policy and lost ones stay unchanged.
func (w *Window[S]) dropLosingMoves(g *Record, states []S, results []int8) {
	firstExact := g.Searched() - len(states) // the row of the first of states
	policy := Policy{}
	weights := make([]float32, w.rules.Actions())
	for row := range g.Searched() {
		clear(weights)
		actions, shares := g.Policy.Row(row)
		for j, a := range actions {
			weights[a] = float32(shares[j])
		}
		if i := row - firstExact; i >= 0 && results[i] >= 0 && slices.Max(weights) > 0 {
			w.dropLosingMovesAt(states[i], results[i], weights)
		}
		policy.Append(weights)
	}
	g.Policy = policy.clone()
}

// dropLosingMovesAt is dropLosingMoves for one position, worth result, and the weights [Actions] of its moves.
func (w *Window[S]) dropLosingMovesAt(state S, result int8, weights []float32) {
	var wanted, others []game.Action
	for _, a := range state.Legal(nil) {
		if weights[a] > 0 {
			wanted = append(wanted, a)
		} else {
			others = append(others, a)
		}
	}
	for _, a := range w.resultLosing(state, result, wanted) {
		weights[a] = 0
	}
	if slices.Max(weights) > 0 {
		return
	}
	for _, a := range others {
		weights[a] = 1
	}
	for _, a := range w.resultLosing(state, result, others) {
		weights[a] = 0
	}
}

// resultLosing returns the moves that give away part of a position's result.
func (w *Window[S]) resultLosing(state S, result int8, moves []game.Action) []game.Action {
	var worse, open []game.Action
	var next []S
	for _, a := range moves {
		child := state.Play(a)
		if z, over := child.Outcome(); !over {
			open, next = append(open, a), append(next, child)
		} else if int8(z) != -result {
			worse = append(worse, a)
		}
	}
	if len(next) == 0 {
		return worse
	}
	for i, z := range w.tablebase(next) {
		if z != -result {
			worse = append(worse, open[i])
		}
	}
	return worse
}

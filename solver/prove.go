package solver

import (
	"cmp"
	"slices"

	"tengen/game"
)

// prove looks for a proof by forced moves of the position at ply, which is not over. Its value, if it is decided, is that of a
// win or loss no later than the proof shows it. Else results says which moves lose, some of which do not; it is nil without a
// prover, and valid until the next proof.
func (n *negamax[S]) prove(ply int) (value Value, results []game.Result, decided bool) {
	if n.prover == nil {
		return 0, nil, false
	}
	found := n.prover.Examine(n.line.frames[ply].images[0], n.forcedNodes)
	switch found.Result {
	case game.Win:
		return n.winWithin(ply, found.Plies), nil, true
	case game.Loss:
		return -n.winWithin(ply, 0), nil, true
	}
	return 0, found.Moves, false
}

// winWithin is the value of a win after that many plies, 0: at the end of the longest game, as it is not known when.
func (n *negamax[S]) winWithin(ply, plies int) Value {
	if plies == 0 {
		return n.winAt(n.maxPlies)
	}
	return n.winAt(ply + plies)
}

// winsByForce reports whether forced moves prove that the position at ply, the root, is won. If so, it gives the moves that
// begin the proof their value, and the others one below, and sorts them.
func (n *negamax[S]) winsByForce(ply int, moves []Move) bool {
	if n.prover == nil {
		return false
	}
	n.counts.Nodes++
	found := n.prover.Examine(n.line.frames[ply].images[0], n.forcedNodes)
	if found.Result != game.Win {
		return false
	}
	value := n.winWithin(ply, found.Plies)
	for i, m := range moves {
		moves[i].Value = value - 1
		if found.Moves[m.Action] == game.Win {
			moves[i].Value = value
		}
	}
	slices.SortStableFunc(moves, func(a, b Move) int { return cmp.Compare(b.Value, a.Value) })
	return true
}

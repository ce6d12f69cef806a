package solver

import "tengen/game"

// prove looks for a proof by forced moves for the unfinished position at ply. If decided, value is the proven win or
// loss; perfect play may win sooner. Otherwise results says which moves lose; at least one does not. results is nil
// without a prover, and valid until the next proof.
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

// winWithin returns the value of a win after plies; 0 means unknown, valued as the last ply.
func (n *negamax[S]) winWithin(ply, plies int) Value {
	if plies == 0 {
		return n.winAt(n.maxPlies)
	}
	return n.winAt(ply + plies)
}

// winsByForce reports whether forced moves prove a win for the root, at ply. If so, it values the proof's first moves,
// gives the others one less, and sorts the moves.
func (n *negamax[S]) winsByForce(ply int, moves []Move) bool {
	if n.prover == nil {
		return false
	}
	n.nodes++
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
	sortMoves(moves)
	return true
}

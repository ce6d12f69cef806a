package mcts

import "tengen/game"

// Forced playouts and policy target pruning (Wu 2019, section 3.2): moves favoured by noise get enough simulations to
// show their value. If it is bad, these do not count in the policy target.

// forcedPlayout returns the root's first move that has been tried, is not proven and has fewer simulations, those in
// flight included, than
//
//	n_forced(c) = sqrt(k P(c) sum over c' of N(c'))
//
// It returns the move's edge, or -1 if there is none.
func (t *tree) forcedPlayout(k float64) int32 {
	if k == 0 {
		return -1
	}
	root := &t.edges[0]
	n := &t.nodes[root.child]
	total := float64(root.visits+int32(root.pending)) - 1 // without the one that expanded the root
	for i := n.first; i < n.first+n.tried; i++ {
		e := &t.edges[i]
		visits := float64(e.visits) + float64(e.pending)
		if e.proven == game.Unknown && visits*visits < k*float64(e.prior)*total {
			return i
		}
	}
	return -1
}

// pruneVisits removes from dst [Actions], the visits of the root's moves, those that PUCT would not have spent with the
// final values. The most visited move c* keeps all. Any other move keeps at most as many as make it as urgent as c*, by
// the formula of choose:
//
//	n(c) = C(s) P(c) sqrt(N(s)) / (PUCT(c*) - Q(c)) - 1
//
// At most one remaining visit is removed. This is KataGo's rule; the paper removes at most n_forced(c). If a move is
// won, or all are lost, dst stays unchanged.
func (t *tree) pruneVisits(cfg *Config, scales *scales, dst []float32) {
	root := &t.edges[0]
	if root.proven == game.Win || root.proven == game.Loss {
		return
	}
	moves := t.moves(0)
	var best *edge
	for i := range moves {
		if e := &moves[i]; e.proven != game.Loss && (best == nil || e.visits > best.visits) {
			best = e
		}
	}
	scale := scales.at(root.visits + int32(root.pending))
	urgency := best.q() + scale*float64(best.prior)/float64(1+best.visits)
	for i := range moves {
		e := &moves[i]
		if e == best || dst[e.action] == 0 {
			continue
		}
		kept := float64(e.visits)
		if gap := urgency - e.q(); gap > 0 {
			kept = min(kept, scale*float64(e.prior)/gap-1)
		}
		if kept <= 1 {
			kept = 0
		}
		dst[e.action] = float32(kept)
	}
}

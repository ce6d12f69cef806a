package mcts

import (
	"math"

	"tengen/game"
	"tengen/internal/portable"
)

// cBase is the number of a position's visits after which the weight of the prior starts to grow (AlphaZero's c_base).
const cBase = 19652

// firstPlayReduction is choose's reduction below the root and outside self-play.
const firstPlayReduction float64 = 0.2

// choose returns the edge to follow from the node below parent:
//
//	argmax over a of Q(s,a) + U(s,a)
//	U(s,a) = C(s) P(s,a) sqrt(N(s)) / (1 + N(s,a))
//	C(s)   = ln((1 + N(s) + cBase) / cBase) + cInit
//
// (Silver et al. 2018, Methods, "Search"). N(s) counts the simulation that expanded s, as in the paper's pseudocode. A
// simulation in flight counts as a visit of value -1, the virtual loss. Moves proven lost are skipped. On a tie the
// first move wins.
//
// A move never tried has its parent's value so far, less reduction * sqrt(sum of the priors of the moves tried), and
// at least -1: otherwise a losing side would repeat lost moves rather than try another. choose tries such a move.
func (t *tree) choose(cfg *Config, parent *edge, reduction float64) int32 {
	n := &t.nodes[parent.child]
	scale := cfg.scale(parent.visits + int32(parent.pending))

	best, bestScore := int32(-1), math.Inf(-1)
	triedPrior := 0.0
	moves := t.movesOf(n)
	for i := range moves[:n.tried] {
		e := &moves[i]
		triedPrior += float64(e.prior)
		if e.proven == game.Loss {
			continue
		}
		visits, pending := float64(e.visits), float64(e.pending)
		q := (e.valueSum - pending) / (visits + pending)
		if e.proven == game.Draw {
			q = 0
		}
		if score := q + scale*float64(e.prior)/(1+visits+pending); score > bestScore {
			best, bestScore = int32(i), score
		}
	}
	if n.tried < n.count {
		firstPlay := -parent.valueSum/float64(parent.visits) - float64(reduction*math.Sqrt(triedPrior))
		if max(-1, firstPlay)+float64(scale*float64(moves[n.tried].prior)) > bestScore {
			best = t.try(n, n.tried)
		}
	}
	return n.first + best
}

// scale returns C(s) sqrt(N(s)).
func (c *Config) scale(visits int32) float64 {
	if int(visits) < len(growths) {
		return growths[visits].scale(c.CInit)
	}
	return growthOf(visits).scale(c.CInit)
}

// growth is what N(s) contributes to C(s) sqrt(N(s)).
type growth struct{ log, root float64 }

func growthOf(visits int32) growth {
	return growth{portable.Log((1 + float64(visits) + cBase) / cBase), math.Sqrt(float64(visits))}
}

func (g growth) scale(cInit float64) float64 { return (g.log + cInit) * g.root }

// growths has the growth by N(s): a logarithm and a root at each step would take a fifth of a simulation's time.
var growths = func() (all [512]growth) {
	for visits := range all {
		all[visits] = growthOf(int32(visits))
	}
	return all
}()

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
func (t *tree) pruneVisits(cfg *Config, dst []float32) {
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
	scale := cfg.scale(root.visits + int32(root.pending))
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

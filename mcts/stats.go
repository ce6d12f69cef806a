package mcts

import (
	"slices"

	"tengen/game"
)

// Stat is what a search found out about one move of the root.
type Stat struct {
	Action game.Action
	Visits int
	Q      float32 // mean value in [-1, 1] for the side to move at the root; the exact one if proven; 0 if never visited
	Prior  float32 // the evaluator's probability, with root noise mixed in where there is any; 0 without an evaluator
	Proven Result  // for the side to move at the root
}

// Stats appends what is known about each legal move of the root to dst, by ascending action; nothing while the root is
// not open.
func (s *Search[S]) Stats(dst []Stat) []Stat {
	start := len(dst)
	for _, e := range s.tree.moves(0) {
		dst = append(dst, Stat{Action: game.Action(e.action), Visits: int(e.visits), Q: float32(e.q()), Prior: e.prior, Proven: e.proven})
	}
	slices.SortFunc(dst[start:], func(a, b Stat) int { return int(a.Action - b.Action) })
	return dst
}

// Value is the root's mean value in [-1, 1] for the side to move: the exact one once proven, 0 before any simulation.
func (s *Search[S]) Value() float32 {
	return float32(0 - s.tree.edges[0].q()) // a draw is 0, not -0
}

// q is the mean value in [-1, 1] of the edge's simulations, the exact one if it is proven; 0 if it was never visited.
func (e *edge) q() float64 {
	switch {
	case e.proven != Unknown:
		return e.proven.Value()
	case e.visits > 0:
		return e.valueSum / float64(e.visits)
	}
	return 0
}

// PV appends the principal variation to dst: from the root on, the most visited of the moves worth playing.
func (s *Search[S]) PV(dst []game.Action) []game.Action {
	for at := int32(0); ; {
		moves := s.tree.moves(at)
		keep := bestRank(moves)
		best := -1
		for i, e := range moves {
			if e.visits > 0 && e.rank() == keep && (best < 0 || e.visits > moves[best].visits) {
				best = i
			}
		}
		if best < 0 {
			return dst
		}
		dst = append(dst, game.Action(moves[best].action))
		at = s.tree.nodes[s.tree.edges[at].child].first + int32(best)
	}
}

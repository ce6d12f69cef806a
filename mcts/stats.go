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
		stat := Stat{Action: game.Action(e.action), Visits: int(e.visits), Prior: e.prior, Proven: e.proven}
		switch {
		case e.proven != Unknown:
			stat.Q = float32(e.proven.Value())
		case e.visits > 0:
			stat.Q = float32(e.valueSum / float64(e.visits))
		}
		dst = append(dst, stat)
	}
	slices.SortFunc(dst[start:], func(a, b Stat) int { return int(a.Action - b.Action) })
	return dst
}

// Value is the root's mean value in [-1, 1] for the side to move: the exact one once proven, 0 before any simulation.
func (s *Search[S]) Value() float32 {
	root := s.tree.edges[0]
	switch {
	case root.proven != Unknown:
		return float32(-root.proven.Value())
	case root.visits == 0:
		return 0
	}
	return float32(-root.valueSum / float64(root.visits))
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

package mcts

import (
	"slices"

	"tengen/game"
)

// Stat describes a move.
type Stat struct {
	Action game.Action
	Visits int
	Q      float32     // mean value in [-1, 1] for the side to move; exact if proven; 0 if unvisited
	Prior  float32     // after root temperature, noise and prover; 0 without an evaluator
	Proven game.Result // for the side to move
}

// Stats appends a Stat for each of the root's legal moves to dst, by ascending action; none until
// the root is expanded.
func (s *Search[S]) Stats(dst []Stat) []Stat { return s.tree.stats(dst, 0) }

// stats is Stats for the node below edge at.
func (t *tree) stats(dst []Stat, at int32) []Stat {
	start := len(dst)
	for _, e := range t.moves(at) {
		dst = append(dst, Stat{Action: game.Action(e.action), Visits: int(e.visits), Q: float32(e.q()), Prior: e.prior, Proven: e.proven})
	}
	slices.SortFunc(dst[start:], func(a, b Stat) int { return int(a.Action - b.Action) })
	return dst
}

// Below describes a position in the tree. Values are for the side to move there.
type Below struct {
	Visits int     // simulations through the position
	Value  float32 // mean in [-1, 1], exact once proven
	Proven game.Result
	Moves  []Stat        // see Search.Stats
	PV     []game.Action // see Search.PV
}

// Below describes the position after a line of moves from the root, or returns false if the tree does not reach it.
func (s *Search[S]) Below(line []game.Action) (b Below, ok bool) {
	at, ok := s.tree.find(line)
	if !ok {
		return b, false
	}
	e := &s.tree.edges[at]
	return Below{int(e.visits), float32(0 - e.q()), e.proven.Opposite(), s.tree.stats(nil, at), s.tree.pv(nil, at)}, true
}

// PV appends the principal variation after a line of moves from the root to dst: always the most visited of the moves
// worth playing. It is empty if the tree does not reach the line's end.
func (s *Search[S]) PV(dst []game.Action, line ...game.Action) []game.Action {
	if at, ok := s.tree.find(line); ok {
		dst = s.tree.pv(dst, at)
	}
	return dst
}

// find returns the last edge of a line of moves from the root.
func (t *tree) find(line []game.Action) (at int32, ok bool) {
	for _, a := range line {
		i := slices.IndexFunc(t.moves(at), func(e edge) bool { return e.action == int16(a) })
		if i < 0 {
			return 0, false
		}
		at = t.nodes[t.edges[at].child].first + int32(i)
	}
	return at, true
}

// Value returns the root's mean value in [-1, 1] for the side to move: exact once proven, 0 before any simulation.
func (s *Search[S]) Value() float32 {
	return float32(0 - s.tree.edges[0].q()) // a draw is 0, not -0
}

// q returns the edge's mean value: exact once proven, 0 before any simulation.
func (e *edge) q() float64 {
	switch {
	case e.proven != game.Unknown:
		return e.proven.Value()
	case e.visits > 0:
		return e.valueSum / float64(e.visits)
	}
	return 0
}

func (t *tree) pv(dst []game.Action, at int32) []game.Action {
	for {
		moves := t.moves(at)
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
		at = t.nodes[t.edges[at].child].first + int32(best)
	}
}

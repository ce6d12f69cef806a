package mcts

import (
	"fmt"

	"tengen/game"
)

// Dirichlet is dirichlet for tests.
var Dirichlet = dirichlet

// Actions is the number of actions of the game searched.
func (s *Search[S]) Actions() int { return s.actions }

// EdgeStat is everything that a Search keeps about one move, in the view of the player who makes it.
type EdgeStat struct {
	Visits, Pending int
	ValueSum        float64
	Prior           float32
	Proven          game.Result
}

// Walk calls visit for every move in the tree, with the moves that lead to it and itself, and first for the root, without
// moves and in the view of the player who moved there. path is valid during the call.
func (s *Search[S]) Walk(visit func(path []game.Action, e EdgeStat)) {
	s.walk(0, nil, visit)
}

func (s *Search[S]) walk(at int32, path []game.Action, visit func([]game.Action, EdgeStat)) {
	e := s.tree.edges[at]
	visit(path, EdgeStat{int(e.visits), int(e.pending), e.valueSum, e.prior, e.proven})
	if e.child == 0 {
		return
	}
	n := s.tree.nodes[e.child]
	for i := n.first; i < n.first+n.count; i++ {
		s.walk(i, append(path, game.Action(s.tree.edges[i].action)), visit)
	}
}

// CheckOrder returns an error unless every node keeps the invariant of its moves' order: those that were tried come
// first, and next the one of highest prior among the others, of lowest action among equals.
func (s *Search[S]) CheckOrder() error {
	for i, n := range s.tree.nodes[1:] {
		moves := s.tree.edges[n.first : n.first+n.count]
		for j, e := range moves {
			if entered := e.visits > 0 || e.pending > 0 || e.proven != game.Unknown; entered != (int32(j) < n.tried) {
				return fmt.Errorf("node %d: %d moves are tried, but of move %d it is %v", i+1, n.tried, j, entered)
			}
		}
		for _, e := range moves[n.tried:] {
			next := moves[n.tried]
			if e.prior > next.prior || e.prior == next.prior && e.action < next.action {
				return fmt.Errorf("node %d: action %d is next, but action %d is better", i+1, next.action, e.action)
			}
		}
	}
	return nil
}

package mcts

import (
	"tengen/game"
)

// examine runs the prover, if any, on the leaf to which edge at leads. A proof saves the evaluation in two cases:
//
//   - The leaf's result is proven: the edge stores it.
//   - All moves but one lose: the leaf is opened, and the simulation continues along that move, the edge next.
//
// Otherwise, and always at the root, where Decide needs moves and priors, next is 0 and the moves' results are appended
// to found for Expand.
func (s *Search[S]) examine(state S, at int32) (next int32) {
	if s.prover == nil {
		return 0
	}
	finding := s.prover.Examine(state, s.cfg.ForcedNodes)
	if at != 0 {
		if finding.Result != game.Unknown {
			s.tree.edges[at].proven = finding.Result.Opposite()
			return 0
		}
		s.legal = state.Legal(s.legal[:0])
		if onlyMove(s.legal, finding.Moves) {
			return s.openForced(at, finding.Moves)
		}
	}
	s.found = append(s.found, finding.Moves...)
	return 0
}

// onlyMove reports whether all legal moves but one lose.
func onlyMove(legal []game.Action, found []game.Result) bool {
	left := 0
	for _, a := range legal {
		if found[a] != game.Loss {
			left++
		}
	}
	return left == 1
}

// openForced opens the leaf to which edge at leads, whose legal moves are s.legal. It returns the edge of the only move
// that does not lose, which gets all of the prior.
func (s *Search[S]) openForced(at int32, found []game.Result) (next int32) {
	t := &s.tree
	t.open(at, s.legal, s.noPrior)
	s.settle(found)
	n := &t.nodes[len(t.nodes)-1]
	return n.first + t.enter(n, n.opened)
}

// settle marks the moves of the newest node by the prover's results, indexed by action. The prior of losing moves goes
// to the others, in proportion to their own if they have any, unless all lose.
func (s *Search[S]) settle(found []game.Result) {
	t := &s.tree
	n := &t.nodes[len(t.nodes)-1]
	moves := t.edges[n.first : n.first+n.count]
	for i := range moves {
		if result := found[moves[i].action]; result != game.Unknown && moves[i].proven == game.Unknown {
			moves[i].proven = result
			moves[i], moves[n.opened] = moves[n.opened], moves[i]
			n.opened++
		}
	}
	left, kept := 0, float32(0)
	for i := range moves {
		if moves[i].proven != game.Loss {
			left++
			kept += moves[i].prior
		}
	}
	for i := range moves {
		switch e := &moves[i]; {
		case left == 0 || left == len(moves):
		case e.proven == game.Loss:
			e.prior = 0
		case kept > 0:
			e.prior /= kept
		default:
			e.prior = 1 / float32(left)
		}
	}
	t.promote(n)
}

// reopen resets the tree if the prover proved the new root as a leaf, so that the next simulation opens it.
func (s *Search[S]) reopen() {
	if s.prover == nil || s.tree.edges[0].child != 0 {
		return
	}
	if _, over := s.root.Outcome(); !over {
		s.tree.reset()
	}
}

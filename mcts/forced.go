package mcts

import "tengen/game"

// proveLeaf runs the prover, if any, on the leaf below edge at. Below the root, proofs save evaluations: the edge
// stores the leaf's proven result, and if all moves but one lose, the leaf is expanded and the simulation continues
// along the remaining move, next, which gets all of the prior. Otherwise next is 0 and found gets the moves' results
// for Expand.
func (s *Search[S]) proveLeaf(state S, at int32) (next int32) {
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
		lost := 0
		for _, a := range s.legal {
			if finding.Moves[a] == game.Loss {
				lost++
			}
		}
		if lost == len(s.legal)-1 {
			s.tree.expand(at, s.legal, s.noPrior)
			s.storeProofs(finding.Moves)
			n := s.tree.newest()
			return n.first + s.tree.try(n, n.tried)
		}
	}
	s.found = append(s.found, finding.Moves...)
	return 0
}

// storeProofs stores the prover's results, indexed by action, in the newest node's moves. The prior of losing moves
// goes to the others, in proportion to theirs if they have any, unless all lose.
func (s *Search[S]) storeProofs(found []game.Result) {
	t := &s.tree
	n := t.newest()
	moves := t.movesOf(n)
	for i := range moves {
		if result := found[moves[i].action]; result != game.Unknown && moves[i].proven == game.Unknown {
			moves[i].proven = result
			moves[i], moves[n.tried] = moves[n.tried], moves[i]
			n.tried++
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

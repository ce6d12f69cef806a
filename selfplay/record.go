package selfplay

import (
	"math"

	"tengen/mcts"
	"tengen/replay"
)

// record adds what a search has found out to the game. With a DecidedWeight below 1 there is nothing to learn about the moves of
// a root that is proven lost: all of them lose.
func (s *slot[S]) record(d *mcts.Decision) {
	policy := d.Policy
	if s.cfg.DecidedWeight < 1 && d.Proven == mcts.Loss {
		policy = nil
	}
	s.game.AppendSearch(policy, d.Value, s.search.Simulations(), s.weight())
}

// weight is how much the position counts in learning, in 1/replay.FullWeight, rounded to the nearest.
func (s *slot[S]) weight() uint16 {
	switch {
	case !s.full:
		return 0
	case s.decided:
		return uint16(math.Round(s.cfg.DecidedWeight * replay.FullWeight))
	}
	return replay.FullWeight
}

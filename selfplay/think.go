package selfplay

import "tengen/mcts"

// think begins the search of the next move: a full one, or a fast one (Wu 2019, section 3.1, "Playout Cap Randomization"). The
// coin is the only thing that it draws from the game's generator, and it is not drawn where all searches are full. After that
// a search draws its noise, if it is full, and its move.
//
// Where there are fast searches, a full one starts with an empty tree, unless its root is proven: simulations that were chosen
// without noise would thin the noise out, and belong to what is learned. A fast one keeps the tree, and what is in it counts
// as done.
func (s *slot[S]) think() {
	s.full = s.cfg.FullShare == 1 || s.rng.Float64() < s.cfg.FullShare
	s.decided = s.search.Proven() != mcts.Unknown
	if !s.full {
		s.search.Begin(max(1, s.cfg.FastSimulations-s.kept()), nil)
		return
	}
	if s.cfg.FullShare < 1 && !s.decided {
		s.search.Reset(s.state)
	}
	s.search.Begin(s.simulations, s.rng)
}

// kept is the number of simulations in the tree.
func (s *slot[S]) kept() int {
	s.stats = s.search.Stats(s.stats[:0])
	if len(s.stats) == 0 {
		return 0
	}
	n := 1 // opened the root
	for _, move := range s.stats {
		n += move.Visits
	}
	return n
}

// temperature is what the move is drawn with.
func (s *slot[S]) temperature() float64 {
	if s.full && len(s.game.Moves) < s.cfg.TemperaturePlies {
		return s.cfg.Temperature
	}
	return s.cfg.FinalTemperature
}

package selfplay

// simulations is the number of simulations of a full search in a game that the given model plays: StartSimulations for
// model 0, or full if that is less; full from model GrowIterations on; and in between on the line from the one to the
// other, rounded down.
func (c Config) simulations(model uint64, full int) int {
	if model >= uint64(c.GrowIterations) {
		return full
	}
	m, n := int(model), c.GrowIterations
	return (min(c.StartSimulations, full)*(n-m) + full*m) / n
}

// fullSimulations is the number of simulations of a full search in a game that has budget, where it can last left plies
// more.
func (c Config) fullSimulations(budget, left int) int {
	if c.EndingSimulations > 0 && left <= c.EndingPlies {
		return min(c.EndingSimulations, budget)
	}
	return budget
}

// think begins the search of the next move: a full one, or a fast one (Wu 2019, section 3.1, "Playout Cap
// Randomization"). What a search draws from the game's generator is, in this order: the coin that decides which it is,
// unless all are full; its noise, if it is full, as soon as its root is open; and its move.
//
// Where there are fast searches, or Config.FreshTrees says so, a full one starts with an empty tree, unless its root is
// proven: simulations that were chosen without noise would thin the noise out, and belong to what is learned. A fast
// one keeps the tree, and what is in it counts as done.
func (s *liveGame[S]) think() {
	s.full = s.cfg.FullShare == 1 || s.rng.Float64() < s.cfg.FullShare
	s.decided = s.search.Decided()
	full := s.cfg.fullSimulations(s.budget, s.rules.MaxPlies()-len(s.game.Moves))
	if !s.full {
		s.search.Begin(max(1, min(s.cfg.FastSimulations, full)-s.search.Visits()), nil)
		return
	}
	if (s.cfg.FreshTrees || s.cfg.FullShare < 1) && !s.decided {
		s.search.Reset(s.state)
	}
	s.search.Begin(full, s.rng)
}

// temperature is what the move is drawn with.
func (s *liveGame[S]) temperature() float64 {
	if s.full && len(s.game.Moves) < s.cfg.TemperaturePlies {
		return s.cfg.Temperature
	}
	return s.cfg.FinalTemperature
}

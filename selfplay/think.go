package selfplay

// simulations returns the number of simulations in a model's full searches. It grows linearly, rounded down, from
// StartSimulations (at most full) for model 0 to full for model GrowIterations and all later ones.
func (c Config) simulations(model uint64, full int) int {
	if model >= uint64(c.GrowIterations) {
		return full
	}
	m, n := int(model), c.GrowIterations
	return (min(c.StartSimulations, full)*(n-m) + full*m) / n
}

// fullSimulations returns a full search's simulations with at most left plies to go: budget, or fewer in the ending.
func (c Config) fullSimulations(budget, left int) int {
	if c.EndingSimulations > 0 && left <= c.EndingPlies {
		return min(c.EndingSimulations, budget)
	}
	return budget
}

// think begins the next move's search, full or fast (Wu 2019, section 3.1, "Playout Cap Randomization"). A search draws
// from the game's generator, in this order: full or fast, unless all are full; the noise of a full search, once its
// root is open; its move.
//
// With fast searches, or without Config.ReuseTree, a full search starts with an empty tree: earlier simulations without
// noise would dilute the noise in the policy target. A fast search, or one whose root is proven, keeps its tree.
func (s *liveGame[S]) think() {
	s.full = s.cfg.FullShare == 1 || s.rng.Float64() < s.cfg.FullShare
	s.decided = s.search.Decided()
	full := s.cfg.fullSimulations(s.budget, s.rules.MaxPlies()-len(s.game.Moves))
	if !s.full {
		s.search.Begin(max(1, min(s.cfg.FastSimulations, full)-s.search.Visits()), nil)
		return
	}
	if (!s.cfg.ReuseTree || s.cfg.FullShare < 1) && !s.decided {
		s.search.Reset(s.state)
	}
	s.search.Begin(full, s.rng)
}

func (s *liveGame[S]) temperature() float64 {
	if s.full && len(s.game.Moves) < s.cfg.TemperaturePlies {
		return s.cfg.Temperature
	}
	return s.cfg.FinalTemperature
}

package replay

import "time"

// Stats counts the work behind a number of games.
type Stats struct {
	Games        int
	Simulations  int64
	Evaluations  int64 // positions that the network has scored
	CacheHits    int64 // positions that a cache has spared it
	CacheLookups int64
	Duration     time.Duration // by the clock
}

// Add adds work that was done after that of s: the durations add up as well.
func (s *Stats) Add(t Stats) {
	s.Games += t.Games
	s.Simulations += t.Simulations
	s.Evaluations += t.Evaluations
	s.CacheHits += t.CacheHits
	s.CacheLookups += t.CacheLookups
	s.Duration += t.Duration
}

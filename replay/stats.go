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

	Verified   int           // games of workers elsewhere that were played again and came out the same
	Unverified int           // those that could not be played again
	Verifying  time.Duration // that playing them again took
	Waiting    time.Duration // for workers elsewhere, while this process did not play
}

// Add adds later work to s, durations included.
func (s *Stats) Add(t Stats) {
	s.Games += t.Games
	s.Simulations += t.Simulations
	s.Evaluations += t.Evaluations
	s.CacheHits += t.CacheHits
	s.CacheLookups += t.CacheLookups
	s.Duration += t.Duration
	s.Verified += t.Verified
	s.Unverified += t.Unverified
	s.Verifying += t.Verifying
	s.Waiting += t.Waiting
}

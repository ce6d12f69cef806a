package replay

import "time"

// Stats measures the work behind a number of games.
type Stats struct {
	Games        int
	Simulations  int64
	Evaluations  int64 // positions that the network scored
	CacheHits    int64 // positions found in the cache instead
	CacheLookups int64
	Duration     time.Duration // wall-clock time

	// Times of this process, added over its goroutines.
	Network time.Duration // of self-play's workers in the network
	Search  time.Duration // of these workers outside it
	Log     time.Duration // of writing games

	Verified  int           // remote workers' games that were played again
	Verifying time.Duration // spent on that
	Waiting   time.Duration // for remote workers, while this process did not play
}

// Add adds later work to s, durations included.
func (s *Stats) Add(t Stats) {
	s.Games += t.Games
	s.Simulations += t.Simulations
	s.Evaluations += t.Evaluations
	s.CacheHits += t.CacheHits
	s.CacheLookups += t.CacheLookups
	s.Duration += t.Duration
	s.Network += t.Network
	s.Search += t.Search
	s.Log += t.Log
	s.Verified += t.Verified
	s.Verifying += t.Verifying
	s.Waiting += t.Waiting
}

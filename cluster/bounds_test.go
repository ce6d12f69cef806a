package cluster

import "testing"

// A worker does not take from a run whatever that may ask for.
func TestSettingsBounds(t *testing.T) {
	usual := testSettings()
	usual.Selfplay.FastSimulations = 5_000_000 // which no search has, see Config.Simulations
	if err := usual.CheckBounds(); err != nil {
		t.Error(err)
	}
	for want, change := range map[string]func(*Settings){
		"selfplay.cache_megabytes is 1048576, allowed are 0 to 16384": func(s *Settings) { s.Selfplay.CacheMegabytes = 1 << 20 },
		"search.simulations is 10000000, allowed are 1 to 1000000":    func(s *Settings) { s.Search.Simulations = 10_000_000 },
		"search.forced_nodes is 2000000":                              func(s *Settings) { s.Search.ForcedNodes = 2_000_000 },
		"selfplay.games_per_worker is 4096, allowed are 1 to 100": func(s *Settings) {
			s.Search.Simulations, s.Selfplay.GamesPerWorker = 100_000, 4096
		},
	} {
		s := testSettings()
		change(&s)
		wantError(t, s.CheckBounds(), want)
	}
}

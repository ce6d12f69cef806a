package selfplay

import (
	"math"
	"slices"
	"testing"
)

// TestSchedule compares predictions with some made by hand. An evaluation takes 1 second, and 1 more for each position.
func TestSchedule(t *testing.T) {
	for name, c := range map[string]struct {
		workers, games int
		evaluations    []int
		seconds, idle  float64
	}{
		"no game":                 {2, 4, nil, 0, 0},
		"one worker, one game":    {1, 4, []int{7}, 14, 0},
		"batches shrink":          {1, 2, []int{3, 5}, 3*3 + 2*2, 0},
		"a new game":              {1, 1, []int{3, 5}, 2 * 8, 0},
		"the other cannot help":   {2, 1, []int{3, 5}, 10, 0.2},
		"one of two games moves":  {2, 2, []int{4, 4, 1}, 3 + 2*3, 1. / 18},
		"both games begin on one": {2, 2, []int{4, 4}, 2 * 4, 0},
	} {
		s := Schedule{Workers: c.workers, GamesPerWorker: c.games, Batch: 1, Position: 1}
		seconds, idle := s.Predict(slices.Clone(c.evaluations))
		if math.Abs(seconds-c.seconds) > 1e-9 || math.Abs(idle-c.idle) > 1e-9 {
			t.Errorf("%s: %v seconds, idle %v; want %v and %v", name, seconds, idle, c.seconds, c.idle)
		}
	}
}

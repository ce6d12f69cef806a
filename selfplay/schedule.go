package selfplay

import (
	"math"
	"slices"
)

// Schedule predicts how long Play takes and how long its workers wait. It assumes a core for each worker.
type Schedule struct {
	Workers, GamesPerWorker int
	Batch, Position         float64 // an evaluation of n positions takes Batch + n Position, in seconds

	workers []simulated
}

// simulated is a worker whose games are known until the given time.
type simulated struct {
	time, busy float64
	left       []int // evaluations until the end of each of its games
}

// Predict returns the seconds from the start to the last game's end, and the share of the workers' time in which they
// wait. evaluations[i] is the number of evaluations that game i needs, at least 1. Games begin in this order.
func (s Schedule) Predict(evaluations []int) (seconds, idle float64) {
	s.workers = make([]simulated, s.Workers)
	for now := 0.0; ; {
		for i := range s.workers {
			w := &s.workers[i]
			n := min(s.GamesPerWorker-len(w.left), len(evaluations))
			w.left, evaluations = append(w.left, evaluations[:n]...), evaluations[n:]
		}
		if len(evaluations) == 0 {
			s.exchange(now)
		}
		w := s.next(1, s.untilEnd)
		if w == nil {
			break
		}
		s.advance(w, s.untilEnd(w))
		now = w.time
	}
	busy := 0.0
	for _, w := range s.workers {
		seconds, busy = max(seconds, w.time), busy+w.busy
	}
	if seconds == 0 {
		return 0, 0
	}
	return seconds, 1 - busy/seconds/float64(s.Workers)
}

// round returns the seconds of an evaluation for all games of w.
func (s *Schedule) round(w *simulated) float64 { return s.Batch + float64(len(w.left))*s.Position }

// untilEnd returns the number of evaluations until the first of w's games ends.
func (s *Schedule) untilEnd(w *simulated) int { return slices.Min(w.left) }

// next considers the workers with at least the given number of games. It returns the one that first completes its
// evaluations, nil if there is none.
func (s *Schedule) next(games int, evaluations func(*simulated) int) (first *simulated) {
	var earliest float64
	for i := range s.workers {
		w := &s.workers[i]
		if len(w.left) < games {
			continue
		}
		if end := w.time + float64(evaluations(w))*s.round(w); first == nil || end < earliest {
			first, earliest = w, end
		}
	}
	return first
}

func (s *Schedule) advance(w *simulated, evaluations int) {
	seconds := float64(evaluations) * s.round(w)
	w.time, w.busy = w.time+seconds, w.busy+seconds
	for i := range w.left {
		w.left[i] -= evaluations
	}
	w.left = slices.DeleteFunc(w.left, func(n int) bool { return n == 0 })
}

// exchange lets workers without games at the given time take half of the games of the first worker that completes an
// evaluation.
func (s *Schedule) exchange(now float64) {
	until := func(w *simulated) int { // the end of an evaluation
		return min(max(0, int(math.Ceil((now-w.time)/s.round(w)))), s.untilEnd(w))
	}
	for i := range s.workers {
		w := &s.workers[i]
		if len(w.left) > 0 {
			continue
		}
		other := s.next(2, until)
		if other == nil {
			return
		}
		s.advance(other, until(other))
		half := len(other.left) / 2
		w.time, w.left = max(w.time, other.time), append(w.left, other.left[:half]...)
		other.left = slices.Clone(other.left[half:])
	}
}

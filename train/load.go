package train

import "math"

// Load is the work of an iteration on machines of one kind, in seconds. It leaves out evaluations, games played again,
// and the sending of models and games.
//
// One machine takes Play + Learn for an iteration. With n workers of its kind, it takes
//
//	Play/(n+1) + Learn    if the trainer plays too, and workers wait while it learns
//	max(Play/n, Learn)    if the trainer only learns, while workers play the next games (selfplay.ahead 1, cluster.local false)
//
// This holds while an iteration has several times as many games as the workers hold at once.
type Load struct {
	Play  float64 `json:"play_seconds"`  // games / (games/s)
	Learn float64 `json:"learn_seconds"` // passes * positions / (samples/s)
}

// Seconds returns the time of an iteration with some workers. ahead chooses the second formula.
func (l Load) Seconds(workers int, ahead bool) float64 {
	switch {
	case workers == 0:
		return l.Play + l.Learn
	case ahead:
		return max(l.Play/float64(workers), l.Learn)
	}
	return l.Play/float64(workers+1) + l.Learn
}

// Speedup returns how many times as fast as one machine a run with some workers is.
func (l Load) Speedup(workers int, ahead bool) float64 {
	return l.Seconds(0, ahead) / l.Seconds(workers, ahead)
}

// Most returns the speedup that no number of workers exceeds.
func (l Load) Most() float64 { return l.Seconds(0, false) / l.Learn }

// Limit returns how many workers it takes until training is the limit with the second formula: they play no longer than
// the trainer learns.
func (l Load) Limit() int { return int(math.Ceil(l.Play / l.Learn)) }

// Worth returns how many workers pay with the first formula: each of them shortens the iteration by a tenth or more.
func (l Load) Worth() (workers int) {
	for l.Seconds(workers+1, false) <= 0.9*l.Seconds(workers, false) {
		workers++
	}
	return workers
}

package main

import (
	"math"

	"tengen/train/checkpoint"
)

const (
	// After a third of the budget, a run stops if its plan is off by more than this share.
	earlyTolerance = 0.1
	// A finished run does not count if its plan was off by more than this share: its learning rate fell too early or too
	// late.
	finalTolerance = 0.15
)

// maxAttempts limits a trial's runs. The last run always counts.
const maxAttempts = 3

// left returns after how many more iterations a run is nearest to the budget, in processor seconds. It assumes that
// each of them costs as much as the last quarter of the iterations did on average, because early games are shorter.
func left(all []checkpoint.Metrics, budget float64) int {
	_, spent := checkpoint.Spent(all)
	recent := all[len(all)*3/4:]
	_, cost := checkpoint.Spent(recent)
	if cost <= 0 {
		return 0
	}
	return int(math.Round((budget - spent) / cost * float64(len(recent))))
}

// better returns how many iterations would use the budget, or the planned number n if that is close enough. It judges
// after a third of the budget, after iteration n, and where the budget is used.
func better(all []checkpoint.Metrics, n int, budget float64) int {
	spent := 0.0
	for i, m := range all {
		done, before := i+1, spent
		if spent += m.CPUSeconds; spent <= 0 {
			continue
		}
		more, tolerance := left(all[:done], budget), earlyTolerance
		if done == n || more <= 0 {
			tolerance = finalTolerance
		} else if before >= budget/3 || spent < budget/3 {
			continue
		}
		estimate := max(1, done+more)
		if math.Abs(float64(estimate-n)) > tolerance*float64(n) {
			return estimate
		}
	}
	return n
}

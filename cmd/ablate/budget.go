package main

import (
	"math"

	"tengen/train/checkpoint"
)

const (
	// After a third of the budget, a run stops if it would miss the budget by more than this share.
	earlyTolerance = 0.1
	// A finished run does not count if it missed the budget by more than this share.
	finalTolerance = 0.15
)

// mostAttempts limits a trial's runs. The last run always counts.
const mostAttempts = 3

// better returns how many iterations would use the budget, in processor seconds, or the planned number n if that is
// close enough. It judges after a third of the budget and after iteration n. It assumes that each further iteration
// costs as much as the last quarter of the iterations did on average, because early games are shorter.
func better(all []checkpoint.Metrics, n int, budget float64) int {
	spent := 0.0
	for i, m := range all {
		done, before := i+1, spent
		spent += m.CPUSeconds
		tolerance := earlyTolerance
		if done == n {
			tolerance = finalTolerance
		} else if before >= budget/3 || spent < budget/3 {
			continue
		}
		recent := all[done*3/4 : done]
		_, cost := checkpoint.Spent(recent)
		if cost <= 0 {
			continue
		}
		left := (budget - spent) / cost * float64(len(recent))
		estimate := max(1, done+int(math.Round(left)))
		if math.Abs(float64(estimate-n)) > tolerance*float64(n) {
			return estimate
		}
	}
	return n
}

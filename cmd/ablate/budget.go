package main

import (
	"math"

	"tengen/train/checkpoint"
)

const (
	// A run that will miss the budget by more than this share stops after a third of it.
	foreseen = 0.1
	// A run that has missed the budget by more than this share does not count.
	missed = 0.15
)

// mostAttempts limits a trial's runs. The last run always counts.
const mostAttempts = 3

// better returns how many iterations would use the budget, in processor seconds, or the planned number n if that is
// close enough. It judges after a third of the budget and after iteration n. It assumes that further iterations cost as
// much as the last quarter on average, since early games are shorter.
func better(all []checkpoint.Metrics, n int, budget float64) int {
	spent := 0.0
	for i, m := range all {
		done, before := i+1, spent
		spent += m.CPUSeconds
		tolerance := foreseen
		if done == n {
			tolerance = missed
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

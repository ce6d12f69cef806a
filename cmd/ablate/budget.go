package main

import (
	"math"

	"tengen/train/checkpoint"
)

// A run that will miss the budget by more than this share stops once it has used a third of it.
const foreseen = 0.1

// A run that has missed the budget by more than this share does not count.
const missed = 0.15

// mostAttempts limits the runs of a trial; the last one counts whatever it used.
const mostAttempts = 3

// better returns the number of iterations with which a run would use the budget, in processor seconds, judging by its
// iterations so far. It returns n, the planned number, if that is close enough. It judges at two points: when a third
// of the budget is used, and after iteration n. Further iterations are assumed to cost what the last quarter did: early
// ones cost less, with shorter games and, if simulations grow, smaller searches.
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

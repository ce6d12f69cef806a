package main

import (
	"math"

	"tengen/train/checkpoint"
)

// A run that will miss the budget by more than this share is given up when it has used a third of it.
const foreseen = 0.1

// A run that has missed it by more than this share in the end does not count either.
const missed = 0.15

// mostAttempts ends the search for the length of a run: the last one counts whatever it has used.
const mostAttempts = 3

// better is the number of iterations with which a run would use the budget, in processor seconds, as far as its iterations so
// far tell: n, with which it was begun, where that is close enough. It is judged at two points, when a third of the budget is
// used and after iteration n, by the assumption that further iterations cost what the last quarter of those before did. Early
// ones cost less: their games are shorter, and have fewer simulations where those grow.
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

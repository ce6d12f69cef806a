package main

import (
	"slices"
	"testing"

	"tengen/train/checkpoint"
)

// costing returns the metrics of iterations that cost so many processor seconds each.
func costing(costs ...float64) []checkpoint.Metrics {
	var all []checkpoint.Metrics
	for i, c := range costs {
		m := checkpoint.Metrics{Iteration: i + 1, CPUSeconds: c}
		m.Seconds.Total = c / 2
		all = append(all, m)
	}
	return all
}

// even is a run of iterations that cost the same.
func even(n int, cost float64) []checkpoint.Metrics {
	return costing(slices.Repeat([]float64{cost}, n)...)
}

// A run stops after the iteration whose end is closest to the budget.
func TestLeft(t *testing.T) {
	for _, test := range []struct {
		all    []checkpoint.Metrics
		budget float64
		want   int
	}{
		{even(10, 10), 300, 20}, {even(10, 10), 104, 0}, {even(10, 10), 106, 1}, {even(10, 10), 83, -2},
		{costing(10, 10, 10, 10, 10, 10, 20, 20), 150, 3}, // 50 s at 20 s each, more than half
		{even(5, 0), 300, 0}, {nil, 300, 0},
	} {
		if got := left(test.all, test.budget); got != test.want {
			t.Errorf("%d iterations, budget %v: %d left, want %d", len(test.all), test.budget, got, test.want)
		}
	}
}

func TestBetter(t *testing.T) {
	for _, test := range []struct {
		what   string
		all    []checkpoint.Metrics
		n      int
		budget float64
		want   int
	}{
		{"nothing is known yet", nil, 30, 300, 30},
		{"less than a third of the budget is used", even(9, 10), 60, 300, 60},
		{"a third is used, half of the budget would be left over", even(10, 10), 15, 300, 30},
		{"a third is used, the run would take twice the budget", even(10, 10), 60, 300, 30},
		{"a third is used, the run would take a tenth more", even(10, 10), 33, 300, 33},
		{"it was judged at a third, and is close enough at the end", even(33, 10), 33, 300, 33},
		{"it ends before a third of the budget", even(5, 10), 5, 300, 30},
		{"the last quarter tells, not what was cheaper before: 100 s, then 200 s at 20 s each",
			costing(10, 10, 10, 10, 10, 10, 20, 20), 30, 300, 18},
		{"it became dearer after it was judged", append(even(10, 10), even(20, 20)...), 30, 300, 20},
		{"it was judged at a third, whatever came after", append(even(10, 10), even(3, 2)...), 60, 300, 30},
		{"it ends a tenth early, where the budget is used", even(27, 10), 30, 270, 30},
		{"it went on for a tenth more", append(even(20, 10), even(13, 8)...), 30, 304, 30},
		{"no processor time is known", even(5, 0), 5, 300, 5},
		{"one iteration is more than the budget", even(1, 1000), 4, 300, 1},
	} {
		if got := better(test.all, test.n, test.budget); got != test.want {
			t.Errorf("%s: %d iterations, want %d", test.what, got, test.want)
		}
	}
}

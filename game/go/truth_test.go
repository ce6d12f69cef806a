package igo

import (
	"slices"
	"testing"
)

// Perfect play on 2x2 gives the first player a margin of 1, on 3x3 all 9 cells. Whatever longer games were worth, the
// result would be the same.
func TestPerfectPlay(t *testing.T) {
	for _, late := range []int{-4, 4} {
		if got := newOracle(2, 2).best(11, late, -5, 5); got != 1 {
			t.Errorf("2x2: margin %d within 11 plies, want 1", got)
		}
	}
	if got := newOracle(3, 3).best(15, -9, 8, 9); got != 9 {
		t.Errorf("3x3: margin %d within 15 plies, want 9", got)
	}
}

// best returns the first player's margin with best play if it is within the window, or a bound of it. A game that comes
// to so many plies has the margin late. It knows the oracle's rules alone.
func (o *oracle) best(plies, late, alpha, beta int) int {
	legal := o.legal()
	switch {
	case len(legal) == 0:
		return o.area()
	case o.ply == plies:
		return late
	}
	result, sign := -99, 1-o.ply%2*2
	for _, a := range slices.Backward(legal) {
		next := *o
		next.boards = slices.Clip(o.boards)
		next.play(a)
		if sign > 0 {
			result = max(result, next.best(plies, late, max(alpha, result), beta))
		} else {
			result = max(result, -next.best(plies, late, alpha, min(beta, -result)))
		}
		if sign > 0 && result >= beta || sign < 0 && -result <= alpha {
			break
		}
	}
	return sign * result
}

package run

import (
	"context"
	"runtime"
	"slices"

	"tengen/replay"
)

// perfect returns the solving function for replay.NewWindow. It has one solver per core, made when first needed. It
// solves the last position of a game first, because late positions are easy and help with earlier ones.
func (e bound[S]) perfect() replay.Perfect[S] {
	idle := make(chan func(context.Context, S) (int, error), runtime.GOMAXPROCS(0))
	for range cap(idle) {
		idle <- nil
	}
	return func(positions []S) []int8 {
		solve := <-idle
		if solve == nil {
			solve = e.Sign()
		}
		defer func() { idle <- solve }()
		signs := make([]int8, len(positions))
		for i, s := range slices.Backward(positions) {
			sign, err := solve(context.Background(), s)
			if err != nil {
				panic(err) // a solver fails only if its context ends
			}
			signs[i] = int8(sign)
		}
		return signs
	}
}

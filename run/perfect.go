package run

import (
	"context"
	"runtime"
	"slices"

	"tengen/replay"
)

// perfect is what replay.NewWindow takes. It has a solver for each core, which is made when it is needed. The last position of
// a game comes first, as a solver has it easiest that way.
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
				panic(err) // a solver fails only when its context ends
			}
			signs[i] = int8(sign)
		}
		return signs
	}
}

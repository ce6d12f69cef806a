package gametest

import (
	"fmt"
	"math"
	"slices"

	"tengen/game"
)

// overwriting checks that Encode writes only 0s and 1s, overwrites the whole buffer, and panics if its length is wrong.
func overwriting[S game.State[S]](g game.Game[S]) error {
	size := game.InputLen(g)
	dirty := make([]float32, size+1)
	return visit(g, func(moves []game.Action, s S) error {
		planes := encode(g, s)
		if i := slices.IndexFunc(planes, func(v float32) bool { return v != 0 && v != 1 }); i >= 0 {
			return fmt.Errorf("element %d of the planes is %v; want 0 or 1", i, planes[i])
		}
		for i := range dirty {
			dirty[i] = float32(math.NaN())
		}
		s.Encode(dirty[:size])
		if !slices.Equal(dirty[:size], planes) {
			return fmt.Errorf("planes written over other values differ from planes written over zeros")
		}
		for _, n := range []int{0, size - 1, size + 1} {
			if !panics(func() { s.Encode(dirty[:n]) }) {
				return fmt.Errorf("encoding to %d elements, not %d, does not panic", n, size)
			}
		}
		return nil
	})
}

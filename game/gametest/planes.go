package gametest

import (
	"fmt"
	"math"
	"slices"

	"tengen/game"
)

// encoding checks the planes of each position against those of the one before: what were my stones are now my
// opponent's, with one more on the cell that the last-move plane shows, and the fourth plane is full at every other ply.
func encoding[S game.State[S]](g game.Game[S]) error {
	cells := cellCount(g)
	var before []float32
	return visit(g, func(moves []game.Action, s S) error {
		planes := encode(g, s)
		own, opponent, last, first := planes[:cells], planes[cells:2*cells], planes[2*cells:3*cells], planes[3*cells:]
		if i := slices.IndexFunc(planes, func(v float32) bool { return v != 0 && v != 1 }); i >= 0 {
			return fmt.Errorf("element %d of the planes is %v; want 0 or 1", i, planes[i])
		}
		firstToMove := float32(1 - len(moves)%2)
		if i := slices.IndexFunc(first, func(v float32) bool { return v != firstToMove }); i >= 0 {
			return fmt.Errorf("plane 3 holds %v; want %v throughout", first[i], firstToMove)
		}
		if len(moves) > 0 {
			if err := newStone(before[:cells], before[cells:2*cells], own, opponent, last); err != nil {
				return err
			}
			if s.Last() != moves[len(moves)-1] {
				return fmt.Errorf("the last move is %s", g.FormatAction(s.Last()))
			}
		}
		before = planes
		return nil
	})
}

// newStone checks the stones and the last move after a move against the mover's stones and its opponent's before it.
func newStone(mover, other, own, opponent, last []float32) error {
	stones := 0
	for i := range mover {
		if own[i] != other[i] {
			return fmt.Errorf("cell %d holds %v stones of the side to move, and did %v before", i, own[i], other[i])
		}
		if opponent[i]-mover[i] != last[i] {
			return fmt.Errorf("cell %d holds %v stones of the last to move, and did %v before, but the last-move plane has %v",
				i, opponent[i], mover[i], last[i])
		}
		if own[i] != 0 && opponent[i] != 0 {
			return fmt.Errorf("cell %d holds stones of both", i)
		}
		stones += int(last[i])
	}
	if stones != 1 {
		return fmt.Errorf("the last-move plane shows %d cells; want 1", stones)
	}
	return nil
}

// overwriting checks that Encode leaves nothing of what the buffer held, and refuses a buffer of another size.
func overwriting[S game.State[S]](g game.Game[S]) error {
	size := game.Planes * cellCount(g)
	dirty := make([]float32, size+1)
	return visit(g, func(moves []game.Action, s S) error {
		for i := range dirty {
			dirty[i] = float32(math.NaN())
		}
		s.Encode(dirty[:size])
		if !slices.Equal(dirty[:size], encode(g, s)) {
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

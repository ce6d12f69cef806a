package conformance

import (
	"fmt"
	"slices"

	"tengen/game"
)

// reached is a position and the moves to it.
type reached[S game.State[S]] struct {
	s     S
	moves []game.Action
}

// transpositions calls f for visit's positions and for positions after the same moves in another order.
func transpositions[S game.State[S]](g game.Game[S], f func(p reached[S]) error) error {
	return visit(g, func(moves []game.Action, s S) error {
		if err := f(reached[S]{s, slices.Clone(moves)}); err != nil {
			return err
		}
		n := len(moves)
		if n < 3 {
			return nil
		}
		swapped := slices.Clone(moves)
		swapped[n-3], swapped[n-1] = moves[n-1], moves[n-3] // two moves of one player
		other, err := game.Replay(g, swapped)
		if err != nil {
			return nil // illegal in this order
		}
		return f(reached[S]{other, swapped})
	})
}

// keys checks that positions with equal keys have the same ply, legal moves and outcome, and equal keys after a move.
func keys[S game.State[S]](g game.Game[S]) error {
	known := map[game.Key]reached[S]{}
	return transpositions(g, func(p reached[S]) error {
		before, ok := known[p.s.Key()]
		known[p.s.Key()] = p
		if !ok {
			return nil
		}
		why := unequal(before.s, p.s, func(a, b S) bool { return a.Key() == b.Key() }, "leads to another key")
		if before.s.Ply() != p.s.Ply() {
			why = fmt.Sprintf("they are at the plies %d and %d", before.s.Ply(), p.s.Ply())
		}
		if why == "" {
			return nil
		}
		return fmt.Errorf("the positions %s and %s have equal keys, but %s", after(g.Start(), before.moves), after(g.Start(), p.moves), why)
	})
}

// unequal says how the play in two positions differs, or "": in results, in legal moves, or in what equal compares after
// the same move.
func unequal[S game.State[S]](a, b S, equal func(a, b S) bool, differs string) string {
	if x, y := outcomeText(a), outcomeText(b); x != y {
		zA, overA := a.Outcome()
		if zB, overB := b.Outcome(); zA != zB || overA != overB {
			return fmt.Sprintf("in the first %s, in the second %s", x, y)
		}
	}
	legal := b.Legal(nil)
	for _, move := range a.Legal(nil) {
		i := slices.Index(legal, move)
		if i < 0 {
			return fmt.Sprintf("%s is legal only in the first", a.Format(move))
		}
		legal = slices.Delete(legal, i, i+1)
		if !equal(a.Play(move), b.Play(move)) {
			return fmt.Sprintf("%s %s", a.Format(move), differs)
		}
	}
	if len(legal) > 0 {
		return fmt.Sprintf("%s is legal only in the second", b.Format(legal[0]))
	}
	return ""
}

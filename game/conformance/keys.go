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

// farthest is how many plies lie between moves of one side that are exchanged: two turns of two moves each, with a
// forced pass of the other side after the first one, are 6 plies apart.
const farthest = 6

// transpositions calls f for visit's positions and for positions after the same moves in another order.
func transpositions[S game.State[S]](g game.Game[S], f func(p reached[S]) error) error {
	return visit(g, reordered(func(moves []game.Action, s S) error { return f(reached[S]{s, slices.Clone(moves)}) }))
}

// reordered returns a function for randomGame that calls f for each position, and for those that the same moves lead to
// if two of one side change places: the last or, as it may be a forced pass, the last but one with an earlier one.
func reordered[S game.State[S]](f func(moves []game.Action, s S) error) func(moves []game.Action, s S) error {
	var before []S // each move
	return func(moves []game.Action, s S) error {
		before = append(before[:len(moves)], s)
		if err := f(moves, s); err != nil {
			return err
		}
		for j := len(moves) - 1; j >= max(0, len(moves)-2); j-- {
			for i := j - 2; i >= max(0, j-farthest); i -= 2 {
				swapped := slices.Clone(moves)
				swapped[i], swapped[j] = moves[j], moves[i]
				other, legal := follow(before[i], swapped[i:])
				if !legal {
					continue
				}
				if err := f(swapped, other); err != nil {
					return err
				}
			}
		}
		return nil
	}
}

// follow plays moves from s, if they are legal.
func follow[S game.State[S]](s S, moves []game.Action) (after S, legal bool) {
	var legalHere []game.Action
	for _, a := range moves {
		if legalHere = s.Legal(legalHere[:0]); !slices.Contains(legalHere, a) {
			return s, false
		}
		s = s.Play(a)
	}
	return s, true
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

// unequal says how the play in two positions differs, or "": in results, in legal moves, or in what equal compares
// after the same move.
func unequal[S game.State[S]](a, b S, equal func(a, b S) bool, differs string) string {
	if !sameResult(a, b) {
		return fmt.Sprintf("in the first %s, the %v to move, in the second %s, the %v to move", outcomeText(a), a.ToMove(), outcomeText(b), b.ToMove())
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

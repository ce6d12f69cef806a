package gametest

import (
	"fmt"
	"slices"

	"tengen/game"
)

// transpositions calls f for visit's positions and for positions after the same moves in another order.
func transpositions[S game.State[S]](g game.Game[S], f func(s S) error) error {
	return visit(g, func(moves []game.Action, s S) error {
		if err := f(s); err != nil {
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
		return f(other)
	})
}

// keys checks that positions with equal keys have the same ply, legal moves and outcome, and equal keys after a move.
func keys[S game.State[S]](g game.Game[S]) error {
	known := map[game.Key]S{}
	return transpositions(g, func(s S) error {
		if before, ok := known[s.Key()]; ok {
			if was, is := future(before), future(s); was != is {
				return fmt.Errorf("two positions have the key %x: %s; and %s", s.Key(), was, is)
			}
		}
		known[s.Key()] = s
		return nil
	})
}

// future describes what equal keys promise.
func future[S game.State[S]](s S) string {
	z, over := s.Outcome()
	legal := s.Legal(nil)
	keys := make([]game.Key, len(legal))
	for i, a := range legal {
		keys[i] = s.Play(a).Key()
	}
	return fmt.Sprintf("ply %d, outcome %v, over %t, legal moves %v, then keys %x", s.Ply(), z, over, legal, keys)
}

package gametest

import (
	"fmt"
	"reflect"
	"slices"

	"tengen/game"
)

// transpositions calls f for the positions of visit and for others that the same moves reach in another order.
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

// keys checks that positions with equal keys have the same ply, legal moves and outcome, and that each move leads to
// equal keys.
func keys[S game.State[S]](g game.Game[S]) error {
	known := map[game.Key]S{}
	return transpositions(g, func(s S) error {
		if before, ok := known[s.Key()]; ok {
			if was, is := foresee(before), foresee(s); !reflect.DeepEqual(was, is) {
				return fmt.Errorf("the key %x is that of two positions, with the futures %+v and %+v", s.Key(), was, is)
			}
		}
		known[s.Key()] = s
		return nil
	})
}

// future is what positions with equal keys must share.
type future struct {
	ply   int
	z     float32
	over  bool
	legal []game.Action
	keys  []game.Key // after each legal move
}

func foresee[S game.State[S]](s S) future {
	f := future{ply: s.Ply(), legal: s.Legal(nil)}
	f.z, f.over = s.Outcome()
	for _, a := range f.legal {
		f.keys = append(f.keys, s.Play(a).Key())
	}
	return f
}

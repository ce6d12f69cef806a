package gametest

import (
	"fmt"
	"slices"

	"tengen/game"
)

// keys checks, over the positions of the sample and others that the same moves reach in another order, that two have one
// key if and only if they have the same stones and side to move.
func keys[S game.State[S]](g game.Game[S]) error {
	stonesOf, keyOf := map[game.Key]string{}, map[string]game.Key{}
	record := func(s S) error {
		key, stones := s.Key(), stones(g, s)
		if known, ok := stonesOf[key]; ok && known != stones {
			return fmt.Errorf("the key %x is that of another position too", key)
		}
		if known, ok := keyOf[stones]; ok && known != key {
			return fmt.Errorf("the key is %x; reached by other moves, the same position has %x", key, known)
		}
		stonesOf[key], keyOf[stones] = stones, key
		return nil
	}
	return visit(g, func(moves []game.Action, s S) error {
		if err := record(s); err != nil {
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
			return nil // not a game in this order
		}
		return record(other)
	})
}

// stones is what a key must cover: all planes but the last move.
func stones[S game.State[S]](g game.Game[S], s S) string {
	cells := cellCount(g)
	planes := encode(g, s)
	text := make([]byte, 0, 3*cells)
	for _, v := range slices.Concat(planes[:2*cells], planes[3*cells:]) {
		text = append(text, byte(v))
	}
	return string(text)
}

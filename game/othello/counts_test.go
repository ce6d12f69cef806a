package othello_test

import (
	"testing"

	"tengen/game"
	"tengen/internal/fulltest"
)

// TestPerft counts the sequences of moves. Published counts are larger by the finished games, which they count as leaves.
func TestPerft(t *testing.T) {
	for side, counts := range map[string][]uint64{
		"4": {1, 4, 12, 44, 128, 424, 1256, 3624, 9112, 20032},
		"6": {1, 4, 12, 56, 244, 1364, 7604, 47740},
		"8": {1, 4, 12, 56, 244, 1396, 8200, 55092, 390216, 3005288, 24571056},
	} {
		for depth, want := range counts[:min(len(counts), fulltest.Pick(10, 11))] {
			if got := game.Perft(parse(t, side).Start(), depth); got != want {
				t.Errorf("side %s: perft %d is %d; want %d", side, depth, got, want)
			}
		}
	}
}

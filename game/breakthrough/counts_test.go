package breakthrough_test

import (
	"testing"

	"tengen/game"
	"tengen/game/breakthrough"
	"tengen/game/gametest"
)

var parse = gametest.Parser(breakthrough.Parse)

// TestPerft compares the numbers of move sequences with Fairy-Stockfish's.
func TestPerft(t *testing.T) {
	for board, counts := range map[string][]uint64{
		"5,5": {1, 13, 156, 1924, 23084, 289828},
		"6,6": {1, 16, 256, 4308, 71478, 1248290},
		"8,8": {1, 22, 484, 11132, 256036},
	} {
		for depth, want := range counts {
			if got := game.Perft(parse(t, board).Start(), depth); got != want {
				t.Errorf("%s: perft %d is %d; want %d", board, depth, got, want)
			}
		}
	}
}

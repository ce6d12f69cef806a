package mnk_test

import (
	"testing"

	"tengen/game"
	"tengen/game/mnk"
	"tengen/internal/fulltest"
)

func TestTicTacToeCounts(t *testing.T) {
	g := mnk.TicTacToe()
	for i, want := range []uint64{1, 9, 72, 504, 3024, 15120, 54720, 148176, 200448, 127872} {
		if got := game.Perft(g.Start(), i); got != want {
			t.Errorf("perft %d is %d; want %d", i, got, want)
		}
	}
}

func TestPositionCounts(t *testing.T) {
	type count struct {
		numbers             string
		positions, terminal uint64
	}
	small, large := []count{{"3,3,3", 5478, 958}, {"3,4,3", 111973, 32410}}, []count{{"4,4,3", 6036001, 2572460}, {"4,4,4", 9722011, 659392}}
	for _, test := range fulltest.Pick(small, append(small, large...)) {
		g := parse(t, test.numbers)
		got := count{numbers: test.numbers}
		for layer := range game.CountPositions(t.Context(), g, g.Actions()) {
			got.positions += layer.Positions
			got.terminal += layer.Terminal.Total()
		}
		if got != test {
			t.Errorf("counted %+v; want %+v", got, test)
		}
	}
}

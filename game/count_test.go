package game_test

import (
	"slices"
	"testing"

	"tengen/game"
	"tengen/game/mnk"
)

// Known counts of tic-tac-toe: positions, finished ones, and complete games.
func TestCounts(t *testing.T) {
	g := mnk.TicTacToe()
	var positions []uint64
	var ends game.Results
	for census := range game.CountPositions(t.Context(), g, 9) {
		positions = append(positions, census.Positions)
		ends.FirstWins += census.Terminal.FirstWins
		ends.SecondWins += census.Terminal.SecondWins
		ends.Draws += census.Terminal.Draws
	}
	if want := []uint64{1, 9, 72, 252, 756, 1260, 1520, 1140, 390, 78}; !slices.Equal(positions, want) {
		t.Errorf("positions %v, want %v", positions, want)
	}
	if want := (game.Results{FirstWins: 626, SecondWins: 316, Draws: 16}); ends != want {
		t.Errorf("ends %+v, want %+v", ends, want)
	}
	if n := ends.Total(); n != 626+316+16 {
		t.Errorf("%d ends in all", n)
	}
	if n := game.Perft(g.Start(), 6); n != 9*8*7*6*5*4-120*12*4 {
		t.Errorf("%d sequences of 6 moves", n)
	}
}

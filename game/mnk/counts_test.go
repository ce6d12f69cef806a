package mnk_test

import (
	"context"
	"testing"

	"tengen/game"
	"tengen/game/mnk"
	"tengen/internal/fulltest"
)

func TestTicTacToeCounts(t *testing.T) {
	g := mnk.TicTacToe()
	if got, want := game.CountGames(g), (game.Results{FirstWins: 131184, SecondWins: 77904, Draws: 46080}); got != want {
		t.Errorf("complete games %+v; want %+v", got, want)
	}
	if got, want := positions(g), (game.Census{
		Positions: 5478,
		Terminal:  game.Results{FirstWins: 626, SecondWins: 316, Draws: 16},
	}); got != want {
		t.Errorf("positions %+v; want %+v", got, want)
	}
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
	small, large := []count{{"3,4,3", 111973, 32410}}, []count{{"4,4,3", 6036001, 2572460}, {"4,4,4", 9722011, 659392}}
	for _, test := range fulltest.Pick(small, append(small, large...)) {
		total := positions(parse(t, test.numbers))
		if total.Positions != test.positions || total.Terminal.Total() != test.terminal {
			t.Errorf("%s: %d positions, %d of them terminal; want %d, %d",
				test.numbers, total.Positions, total.Terminal.Total(), test.positions, test.terminal)
		}
	}
}

// positions counts the distinct positions of a whole game.
func positions(g *mnk.Game) game.Census {
	var total game.Census
	for layer := range game.CountPositions(context.Background(), g, g.Actions()) {
		total.Positions += layer.Positions
		total.Terminal.FirstWins += layer.Terminal.FirstWins
		total.Terminal.SecondWins += layer.Terminal.SecondWins
		total.Terminal.Draws += layer.Terminal.Draws
	}
	return total
}

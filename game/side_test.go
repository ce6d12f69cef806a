package game_test

import (
	"testing"

	"tengen/game"
	"tengen/game/connect4"
	"tengen/game/gametest"
)

// Whoever moves last at an odd ply is the first player.
func TestFirstPlayerOutcome(t *testing.T) {
	g := connect4.Standard()
	for moves, want := range map[string]int8{
		"1212121":  1,
		"71212121": -1,
		"244626743113142264113661275247353375556757": 0,
	} {
		s := gametest.Replay(t, g, moves)
		z, over := s.Outcome()
		if got := game.FirstPlayerOutcome(z, s.ToMove()); !over || got != want {
			t.Errorf("%s: outcome %d for the first player, over %t; want %d", moves, got, over, want)
		}
		if s.ToMove() != game.Mover(len(moves)) {
			t.Errorf("%s: the %v is to move after %d moves", moves, s.ToMove(), len(moves))
		}
	}
}

func TestSides(t *testing.T) {
	for side, want := range map[game.Side]struct {
		name     string
		opponent game.Side
	}{
		game.First: {"first player", game.Second}, game.Second: {"second player", game.First}, game.Nobody: {"nobody", game.Nobody},
	} {
		if side.String() != want.name || side.Opponent() != want.opponent {
			t.Errorf("%d is %v, with the opponent %v", side, side, side.Opponent())
		}
	}
}

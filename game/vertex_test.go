package game_test

import (
	"testing"

	"tengen/game"
)

// Columns skip I. Rows count from the bottom, but from the top in Othello. Moves that are no new stone keep their
// notation.
func TestVertex(t *testing.T) {
	nineteen, eight := game.Size{Rows: 19, Columns: 19}, game.Size{Rows: 8, Columns: 8}
	for _, c := range []struct {
		family   string
		board    game.Size
		move     game.Target
		notation string
		want     string
	}{
		{"mnk", nineteen, game.Onto(0), "a19", "A19"},
		{"mnk", nineteen, game.Onto(18*19 + 8), "i1", "J1"},
		{"mnk", nineteen, game.Onto(18), "s19", "T19"},
		{"othello", eight, game.Onto(2*8 + 3), "d3", "D3"},
		{"othello", eight, game.Target{From: -1, To: -1, Word: "pass"}, "pass", "pass"},
		{"breakthrough", eight, game.Target{From: 48, To: 40}, "a2a3", "a2a3"},
		{"mnk", game.Size{Rows: 30, Columns: 30}, game.Onto(0), "a30", "a30"},
	} {
		if got := game.Vertex(c.family, c.board, c.move, c.notation); got != c.want {
			t.Errorf("%s, %+v: %s, want %s", c.family, c.move, got, c.want)
		}
	}
}

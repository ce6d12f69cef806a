package rules

import (
	"strings"
	"testing"

	"tengen/game"
	"tengen/game/gametest"
)

var parse = gametest.Parser(Parse)

// Random games keep the contract of package game. "go test -v" also shows remarks and a finished game.
func TestConformance(t *testing.T) {
	for _, board := range []string{"", "3,4"} {
		gametest.Run(t, parse(t, board))
	}
}

// The contract knows no rules, so these games say who wins. Change them with the rules.
func TestGamesByHand(t *testing.T) {
	const backAndForth = "a1a2 c3c2 a2a1 c2c3 "
	for _, c := range []struct {
		board, moves string
		over         bool
		winner       game.Side
	}{
		{"3,3", "", false, game.Nobody},
		{"3,3", "a1a2", false, game.Nobody},
		{"3,3", "a1a2 b3a2", false, game.Nobody},                    // captures
		{"3,3", "a1a2 c3c2 a2b3", true, game.First},                 // captures on the far row
		{"3,3", strings.Repeat(backAndForth, 9), true, game.Nobody}, // 36 plies
	} {
		s := gametest.Replay(t, parse(t, c.board), c.moves)
		z, over := s.Outcome()
		if winner := game.Side(z) * s.ToMove(); over != c.over || winner != c.winner {
			t.Errorf("%q: over %t, won by the %v; want %t, %v", c.moves, over, winner, c.over, c.winner)
		}
	}
}

func TestBadBoards(t *testing.T) {
	for _, board := range []string{"5", "5,", "2,5", "5,9", "5,5,5", "a,b"} {
		if g, err := Parse(board); err == nil {
			t.Errorf("%q is read as %s", board, g.Name())
		}
	}
}

package breakthrough_test

import (
	"strings"
	"testing"

	"tengen/game"
	"tengen/game/breakthrough"
	"tengen/game/gametest"
)

func TestNames(t *testing.T) {
	for text, want := range map[string]string{
		"": "breakthrough", "8,8": "breakthrough", " 6, 05": "breakthrough:6,5", "3,8": "breakthrough:3,8",
	} {
		if got := parse(t, text).Name(); got != want {
			t.Errorf("Parse(%q) is named %q; want %q", text, got, want)
		}
	}
	const two, sizes = "want two numbers, columns,rows", "it must have 3 to 8 columns and 5 to 8 rows"
	for text, want := range map[string]string{
		"8": two, "8,x": two, "8,8,8": two, "2,5": sizes, "9,8": sizes, "8,4": sizes, "8,9": sizes,
	} {
		if _, err := breakthrough.Parse(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Parse(%q): error %v; want one with %q", text, err, want)
		}
	}
}

func TestGamesByHand(t *testing.T) {
	for _, test := range []struct {
		moves string
		over  bool
		board string
	}{
		{"", false, "OOO OOO ... XXX XXX"},
		{"a2a3", false, "OOO OOO X.. .XX XXX"},
		{"a2b3", false, "OOO OOO .X. .XX XXX"},
		{"a2b3 c4b3", false, "OOO OO. .O. .XX XXX"}, // captures
		{"a2b3 c4b3 a1a2 b3a2", false, "OOO OO. ... OXX .XX"},
		{"a2b3 c4b3 a1a2 b3a2 b2a3 a2a1", true, "OOO OO. X.. ..X OXX"},                                         // the second player reaches row 1
		{"b2a3 b4a3 c2b3 a4b3 a2b3 c4b3 c1b2 a3b2 a1b2 b5b4 b2a3 b4a3 b1c2 b3c2", true, "O.O ... O.. ..O ..."}, // captures all
		{"a2a3 c4b3 a3b4 b3c2 b4c5", true, "OOX O.. ... .XO XXX"},
	} {
		s := gametest.Replay(t, parse(t, "3,5"), test.moves)
		var board strings.Builder
		for cell := range 15 {
			if cell > 0 && cell%3 == 0 {
				board.WriteByte(' ')
			}
			board.WriteByte("O.X"[s.Cell(cell)+1])
		}
		if z, over := s.Outcome(); over != test.over || over && z != -1 || board.String() != test.board {
			t.Errorf("after %q: outcome %v, over %t, board %s; want over %t, board %s", test.moves, z, over, &board, test.over, test.board)
		}
	}
}

func TestIllegalMovePanics(t *testing.T) {
	for _, test := range []struct {
		moves   string
		a       game.Action
		message string
	}{
		{"", 9*3 + 0, "breakthrough:3,5: move #27 leaves the board, or its end is taken"},
		{"", 12*3 + 1, "breakthrough:3,5: move #37 leaves the board, or its end is taken"},
		{"", 0, "breakthrough:3,5: move #0 begins where the side to move has no piece"},
		{"", 45, "breakthrough:3,5: move #45 is not on the board"},
		{"", game.None, "breakthrough:3,5: move #-1 is not on the board"},
		{"a2a3 c4b3 a3b4 b3c2 b4c5", 10, "breakthrough:3,5: move #10 comes after the end of the game"},
	} {
		s := gametest.Replay(t, parse(t, "3,5"), test.moves)
		func() {
			defer func() {
				if got := recover(); got != test.message {
					t.Errorf("after %s: panic %q; want %q", test.moves, got, test.message)
				}
			}()
			s.Play(test.a)
		}()
	}
}

func TestEstimate(t *testing.T) {
	for moves, want := range map[string]int{
		"":               0,
		"a2a3":           -1,        // two steps from the last row
		"a2a3 b4a3":      -8 - 1,    // the piece is captured by one that is now two steps from its last row
		"a2a3 b4a3 b1a2": 8 + 1 + 2, // a piece leaves its home row; the second player is to move
	} {
		if got := gametest.Replay(t, parse(t, "3,5"), moves).Estimate(); got != want {
			t.Errorf("%q: estimate %d; want %d", moves, got, want)
		}
	}
}

// A board stands for itself with either side to move. The conformance suite compares boards with played positions.
func TestFromStones(t *testing.T) {
	const lost = "the first player has already won, so it cannot be to move"
	for _, test := range []struct {
		board, legal, wrong string
		toMove              game.Side
		last                game.Action
	}{
		{"OO.....X......X", "b3a4 b3b4 b3c4 c1b2 c1c2", "", game.First, game.None},
		{"OO.....X......X", "a5a4 a5b4 b5a4 b5b4 b5c4", "", game.Second, game.None},
		{"..X............", "", "", game.Second, game.None}, // over
		{"..X........O...", "", lost, game.First, game.None},
		{".......X.......", "", lost, game.First, game.None},
		{"...XXXXXXX....O", "", "the first player has more than 6 pieces", game.First, game.None},
		{"......O.......X", "c1b2 c1c2", "", game.First, 28},
		{"......O.......X", "", "last move #0: there is no piece of the second player, who moved last", game.First, 0},
	} {
		gametest.CheckSetup(t, parse(t, "3,5"), test.board, test.toMove, test.last, test.legal, test.wrong)
	}
}

package othello_test

import (
	"strings"
	"testing"

	"tengen/game"
	"tengen/game/gametest"
	"tengen/game/othello"
)

func TestNames(t *testing.T) {
	for text, want := range map[string]string{"": "othello", "8": "othello", " 06": "othello:6", "12": "othello:12"} {
		if got := parse(t, text).Name(); got != want {
			t.Errorf("Parse(%q) is named %q; want %q", text, got, want)
		}
	}
	for text, want := range map[string]string{
		"x": `side "x" is not a number`, "7": "side 7: it must be even, from 4 to 12", "2": "side 2", "14": "side 14",
	} {
		if _, err := othello.Parse(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Parse(%q): error %v; want one with %q", text, err, want)
		}
	}
}

// The board has a1 at the top left, and Black, who begins, has d5 and e4. The longest line is how perfect play begins
// (Takizawa 2023).
func TestBoardByHand(t *testing.T) {
	for moves, want := range map[string]string{
		"":                        "...........................WB......BW...........................",
		"f5":                      "...........................WB......BBB..........................",
		"f5 d6":                   "...........................WB......WBB.....W....................",
		"f5 d6 c3 d3 c4 f4 f6 f3": "..................BW.W....BBWW.....WBB.....W.B..................",
	} {
		s := gametest.Replay(t, parse(t, ""), moves)
		var got strings.Builder
		for cell := range 64 {
			got.WriteByte("W.B"[s.Cell(cell)+1])
		}
		if got.String() != want {
			t.Errorf("after %q the board is %s; want %s", moves, &got, want)
		}
	}
}

// A side that can turn no disc over has one move, the pass. The other side is next.
func TestPass(t *testing.T) {
	s := gametest.Replay(t, parse(t, ""), "e6 f6 d3 e7 e8 d8 g6 f8")
	pass := game.Action(64)
	if legal := s.Legal(nil); len(legal) != 1 || legal[0] != pass || s.ToMove() != game.First {
		t.Fatalf("legal moves %v of the %v; want the pass of the first player", legal, s.ToMove())
	}
	if next := s.Play(pass); next.Ply() != 9 || next.ToMove() != game.Second || next.Tally() != s.Tally() || len(next.Legal(nil)) == 0 {
		t.Errorf("after the pass: ply %d, the %v to move, %s", next.Ply(), next.ToMove(), next.Tally())
	}
}

// A game ends before the board is full if neither side can turn discs over.
func TestEnds(t *testing.T) {
	for _, test := range []struct {
		moves, tally string
		margin       int
		z            float32
	}{
		{"e6 f4 e3 f6 g5 d6 e7 f5 c5", "first player 13, second player 0", 13, -1}, // the shortest game
		{"f5 f6 f7 e3 f3 g5 h5 f4 d3 f2 f1", "first player 15, second player 0", 15, -1},
	} {
		s := gametest.Replay(t, parse(t, ""), test.moves)
		if z, over := s.Outcome(); !over || z != test.z || s.Margin() != float64(test.margin) || s.Tally() != test.tally {
			t.Errorf("%s: over %t, outcome %v, margin %v, %s", test.moves, over, z, s.Margin(), s.Tally())
		}
	}
}

func TestEstimate(t *testing.T) {
	for moves, want := range map[string]int{
		"":                        0,
		"e6 f6 d3 e7 e8 d8 g6 f8": 0 - 2,
		"d3 c3 b3 b2":             4 - 7 + 6,  // a disc of the opponent is inside an empty corner
		"d3 c3 b3 b2 b1 a1":       3 - 8 - 10, // the opponent has the corner
	} {
		if got := gametest.Replay(t, parse(t, ""), moves).Estimate(); got != want {
			t.Errorf("%q: estimate %d; want %d", moves, got, want)
		}
	}
}

func TestIllegalMovePanics(t *testing.T) {
	for _, test := range []struct {
		moves   string
		a       game.Action
		message string
	}{
		{"", 0, "othello: move a1 turns no disc over"},
		{"", 27, "othello: move d4 turns no disc over"},
		{"", 64, "othello: move pass is not allowed to a side that has other moves"},
		{"", 65, "othello: move #65 is not on the board"},
		{"", game.None, "othello: move #-1 is not on the board"},
		{"e6 f4 e3 f6 g5 d6 e7 f5 c5", 64, "othello: move pass comes after the end of the game"},
	} {
		s := gametest.Replay(t, parse(t, ""), test.moves)
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

// A board stands for itself with either side to move. The conformance suite compares boards with played positions.
func TestFromStones(t *testing.T) {
	for _, test := range []struct {
		board, legal, wrong string
		toMove              game.Side
		last                game.Action
	}{
		{".....OX..XO.....", "a2 b1 c4 d3", "", game.First, game.None},
		{".....OX..XO.....", "a3 b4 c1 d2", "", game.Second, game.None}, // as after a pass
		{".OXX.OX..XO.XX..", "a1 a2 a3 c4 d2 d3", "", game.First, 1},
		{"XXXXXXXXXXXXXXX.", "", "", game.First, game.None}, // over
		{".....OX..X......", "", "c3 is empty, but the four cells in the middle always have discs", game.First, game.None},
		{".....OX..XO.....", "", "last move #6: there is no disc of the second player, who moved last", game.First, 6},
	} {
		gametest.CheckSetup(t, parse(t, "4"), test.board, test.toMove, test.last, test.legal, test.wrong)
	}
}

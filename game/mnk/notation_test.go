package mnk_test

import (
	"strings"
	"testing"

	"tengen/game"
	"tengen/game/gametest"
	"tengen/game/mnk"
)

func TestFormat(t *testing.T) {
	for _, test := range []struct {
		numbers string
		a       game.Action
		want    string
	}{
		{"15,15,5", 7*15 + 7, "h8"},
		{"15,15,5", 0, "a15"},
		{"15,15,5", 14 * 15, "a1"},
		{"19,19,5", 8, "i19"}, // i is not left out
		{"19,19,5", 18, "s19"},
		{"20,20,5", 0, "a20"},
		{"20,20,5", 399, "t1"},
		{"7,5,4", 6, "g5"},
	} {
		if got := parse(t, test.numbers).Start().Format(test.a); got != test.want {
			t.Errorf("%s: move %d is written %q; want %q", test.numbers, test.a, got, test.want)
		}
	}
}

func TestParseMoves(t *testing.T) {
	start := mnk.Gomoku().Start()
	for _, text := range []string{"h8 i9 a15", "H8 I9 A15", " h8\ti9  a15\n", "h8i9a15", "h8I9 a15", "h8, i9,a15"} {
		moves, _, err := game.ParseMoves(start, text)
		if err != nil {
			t.Error(err)
		} else if got, want := game.FormatMoves(start, moves), "h8 i9 a15"; got != want {
			t.Errorf("%q is read as %q; want %q", text, got, want)
		}
	}
}

func TestParseMovesErrors(t *testing.T) {
	for _, text := range []string{"h", "8", "h 8", "h8 p1", "h8 a16", "a0", "h8 é1", "[1", "@1", "h8 h8", "a10 a10"} {
		moves, _, err := game.ParseMoves(mnk.Gomoku().Start(), text)
		if err == nil || !strings.Contains(err.Error(), "is not legal here: legal are a15, b15, ") || !strings.Contains(err.Error(), " more") {
			t.Errorf("%q is read as %v, %v; want an error that names cells", text, moves, err)
		}
	}
}

// FuzzParseMoves checks that no text panics, and that what is read is written and read back the same.
func FuzzParseMoves(f *testing.F) {
	for _, text := range []string{"", "h8 i9", "H8i9", "a0", "s19", "a１", "a00000000001", "a99999999999999999999"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) { gametest.Reads(t, "mnk:", mnk.Parse, "20,17,5", text) })
}

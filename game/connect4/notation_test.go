package connect4_test

import (
	"strings"
	"testing"

	"tengen/game"
	"tengen/game/connect4"
	"tengen/game/gametest"
)

func TestFormat(t *testing.T) {
	for numbers, want := range map[string]string{"9,7,4": "4491", "12,5,4": "4 12 10 1"} {
		g := parse(t, numbers)
		moves := map[string][]game.Action{"9,7,4": {3, 3, 8, 0}, "12,5,4": {3, 11, 9, 0}}[numbers]
		if got := game.FormatMoves(g.Start(), moves); got != want {
			t.Errorf("%s: %v is written %q; want %q", g.Name(), moves, got, want)
		}
	}
}

func TestParseMoves(t *testing.T) {
	for _, test := range []struct{ numbers, text, want string }{
		{"7,6,4", "44353", "44353"},
		{"7,6,4", " 4 43\t53\n", "44353"},
		{"7,6,4", "4,4, 353", "44353"},
		{"12,5,4", " 4  12 10\n", "4 12 10"},
	} {
		g := parse(t, test.numbers)
		moves, s, err := game.ParseMoves(g.Start(), test.text)
		if err != nil {
			t.Error(err)
		} else if got := game.FormatMoves(g.Start(), moves); got != test.want || s.Ply() != len(moves) {
			t.Errorf("%q is read as %q, to ply %d; want %q", test.text, got, s.Ply(), test.want)
		}
	}
}

// An error names the move and the moves that are legal. Numbers of two digits are not split.
func TestParseMovesErrors(t *testing.T) {
	for text, want := range map[string]string{
		"8": `move 1, "8", is not legal here: legal are 1, 2, 3, 4, 5, 6, 7`, "440": `move 3, "0"`, "44a": `move 3, "a"`, "4é": "move 2", "-1": "move 1",
		"44444 4 4": `move 7, "4", is not legal here: legal are 1, 2, 3, 5, 6, 7`, "12121211": `move 8, "1", comes after the end`,
	} {
		moves, _, err := game.ParseMoves(connect4.Standard().Start(), text)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q is read as %v, %v; want an error with %q", text, moves, err, want)
		}
	}
	wide := parse(t, "12,2,2").Start()
	for _, text := range []string{"4412", "12 1 12 12", "13"} {
		if moves, _, err := game.ParseMoves(wide, text); err == nil {
			t.Errorf("on 12 columns, %q is read as %v; want an error", text, moves)
		}
	}
}

// FuzzParseMoves checks that no text panics, and that what is read is written and read back the same.
func FuzzParseMoves(f *testing.F) {
	for _, text := range []string{"", "44353", "4 4 3", "0", "12 4 10", "４", "99999999999999999999"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		gametest.Reads(t, "connect4:", connect4.Parse, "9,7,4", text)
		gametest.Reads(t, "connect4:", connect4.Parse, "12,5,4", text)
	})
}

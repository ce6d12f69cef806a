package connect4_test

import (
	"slices"
	"strings"
	"testing"

	"tengen/game"
	"tengen/game/connect4"
)

func TestFormat(t *testing.T) {
	moves := []game.Action{3, 3, 8, 0}
	if got, want := parse(t, "9,7,4").FormatMoves(moves), "4491"; got != want {
		t.Errorf("9 columns: %v is written %q; want %q", moves, got, want)
	}
	moves = []game.Action{3, 11, 9, 0}
	if got, want := parse(t, "12,5,4").FormatMoves(moves), "4 12 10 1"; got != want {
		t.Errorf("12 columns: %v is written %q; want %q", moves, got, want)
	}
}

func TestParseMoves(t *testing.T) {
	for _, test := range []struct{ numbers, text, want string }{
		{"7,6,4", "44353", "44353"},
		{"7,6,4", " 4 43\t53\n", "44353"},
		{"12,5,4", " 4  12 010\n", "4 12 10"},
	} {
		g := parse(t, test.numbers)
		moves, err := g.ParseMoves(test.text)
		if err != nil {
			t.Error(err)
		} else if got := g.FormatMoves(moves); got != test.want {
			t.Errorf("%q is read as %q; want %q", test.text, got, test.want)
		}
	}
}

func TestParseMovesErrors(t *testing.T) {
	for _, text := range []string{"8", "440", "4,4", "44a", "4é", "-1"} {
		moves, err := connect4.Standard().ParseMoves(text)
		if err == nil || !strings.Contains(err.Error(), "columns are 1 to 7") {
			t.Errorf("%q is read as %v, %v; want an error that names the columns", text, moves, err)
		}
	}
	if moves, err := parse(t, "12,5,4").ParseMoves("4412"); err == nil {
		t.Errorf("without spaces on 12 columns, 4412 is read as %v; want an error", moves)
	}
}

// FuzzParseMoves checks that no text panics, and that what is read is written and read back the same.
func FuzzParseMoves(f *testing.F) {
	for _, text := range []string{"", "44353", "4 4 3", "0", "12 4 10", "４", "99999999999999999999"} {
		f.Add(text)
	}
	boards := []*connect4.Game{connect4.Standard(), parse(f, "12,5,4")}
	f.Fuzz(func(t *testing.T, text string) {
		for _, g := range boards {
			moves, err := g.ParseMoves(text)
			if err != nil {
				continue
			}
			again, err := g.ParseMoves(g.FormatMoves(moves))
			if err != nil || !slices.Equal(again, moves) {
				t.Errorf("%s: %q is read as %v, which is written and read back as %v, %v", g.Name(), text, moves, again, err)
			}
		}
	})
}

package lines

import (
	"testing"

	"tengen/game"
)

func TestSentence(t *testing.T) {
	wide := game.Size{Rows: 6, Columns: 15}
	const ways, full = " in a row, horizontally, vertically or diagonally, win", ". A full board is a draw."
	for _, test := range []struct {
		size          game.Size
		k             int
		exact, closed bool
		want          string
	}{
		{wide, 4, false, false, "Four or more" + ways + full},
		{wide, 9, false, false, "9 or more" + ways + full},
		{game.Size{Rows: 3, Columns: 3}, 3, false, false, "Three" + ways + full},
		{wide, 5, true, false, "Exactly five" + ways + full},
		{wide, 5, false, true, "Five" + ways + ", unless the other side's stones stand at both ends; more always win" + full},
	} {
		if got := Sentence(test.size, test.k, test.exact, test.closed); got != test.want {
			t.Errorf("%v, k %d: %q; want %q", test.size, test.k, got, test.want)
		}
	}
}

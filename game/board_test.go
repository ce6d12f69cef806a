package game_test

import (
	"strings"
	"testing"

	"tengen/game"
)

// The symmetries of a board keep the distance of every two cells, all differ, and there are as many as a board of its form has. The
// first is the identity, the second the reflection of the columns.
func TestSymmetriesOfABoard(t *testing.T) {
	for size, want := range map[game.Size]int{{Rows: 3, Columns: 3}: 8, {Rows: 4, Columns: 4}: 8, {Rows: 2, Columns: 3}: 4} {
		all := size.Symmetries()
		distinct := map[string]bool{}
		for _, s := range all {
			var name strings.Builder
			for a, b := range s.Cells {
				name.WriteByte(byte('a' + b))
				if s.Actions[a] != game.Action(b) {
					t.Errorf("%v: the move of cell %d goes to %d, the cell to %d", size, a, s.Actions[a], b)
				}
				for c, d := range s.Cells {
					if distance(size, a, c) != distance(size, int(b), int(d)) {
						t.Errorf("%v: cells %d and %d come to lie at %d and %d", size, a, c, b, d)
					}
				}
			}
			distinct[name.String()] = true
		}
		if len(all) != want || len(distinct) != want {
			t.Errorf("%v: %d symmetries, %d of them distinct, want %d", size, len(all), len(distinct), want)
		}
		if all[0].Cells[1] != 1 || all[1].Cells[0] != int32(size.Columns-1) {
			t.Errorf("%v: the first is %v, the second %v", size, all[0].Cells, all[1].Cells)
		}
	}
}

// distance is the squared distance of two cells.
func distance(size game.Size, a, b int) int {
	rows, columns := a/size.Columns-b/size.Columns, a%size.Columns-b%size.Columns
	return rows*rows + columns*columns
}

// Stones of every kind may lie on a board, with either side to move, and nothing else.
func TestCheckStones(t *testing.T) {
	size := game.Size{Rows: 1, Columns: 3}
	stones := []game.Side{game.First, game.Nobody, game.Second}
	for _, toMove := range []game.Side{game.First, game.Second} {
		if err := game.CheckStones(size, stones, toMove); err != nil {
			t.Errorf("%v to move: %v", toMove, err)
		}
	}
	for _, test := range []struct {
		cells  []game.Side
		toMove game.Side
		want   string
	}{
		{stones[:2], game.First, "stones for 2 cells"},
		{append(stones[:3:3], game.Nobody), game.First, "stones for 4 cells"},
		{[]game.Side{0, game.First + 1, 0}, game.First, "cell 1 holds 2"},
		{[]game.Side{0, 0, game.Second - 1}, game.First, "cell 2 holds -2"},
		{stones, game.Nobody, "the side to move is 0"},
		{stones, game.First + 1, "the side to move is 2"},
	} {
		if err := game.CheckStones(size, test.cells, test.toMove); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%v, %v to move: error %v, want %q", test.cells, test.toMove, err, test.want)
		}
	}
}

// Lines of three in a row of five: cells 0 to 2 end at the edge and at 3, cells 1 to 3 at 0 and 4.
func TestSpoiltLines(t *testing.T) {
	const left, middle = 0, 1
	for _, test := range []struct {
		what          string
		ends          bool
		exact, closed bool
		line          int
		cells         [5]game.Side
		spoilt        bool
	}{
		{"ends do not matter", false, true, true, middle, [5]game.Side{1, 0, 0, 0, 1}, false},
		{"no rule about them", true, false, false, middle, [5]game.Side{1, 0, 0, 0, 1}, false},
		{"six in a row", true, true, false, left, [5]game.Side{0, 0, 0, 1, 0}, true},
		{"one stone of its own is enough", true, true, false, middle, [5]game.Side{1, 0, 0, 0, -1}, true},
		{"a stone of its own closes nothing", true, false, true, middle, [5]game.Side{-1, 0, 0, 0, 1}, false},
		{"stones of the other side make nothing longer", true, true, false, middle, [5]game.Side{-1, 0, 0, 0, -1}, false},
		{"closed at both ends", true, false, true, middle, [5]game.Side{-1, 0, 0, 0, -1}, true},
		{"closed at one end", true, false, true, middle, [5]game.Side{-1, 0, 0, 0, 0}, false},
		{"the edge is no stone", true, false, true, left, [5]game.Side{0, 0, 0, -1, 0}, false},
		{"closed, where both rules hold", true, true, true, middle, [5]game.Side{-1, 0, 0, 0, -1}, true},
	} {
		lines := game.LineSet{Exact: test.exact, Closed: test.closed}
		if test.ends {
			lines.Ends = [][2]int16{left: {-1, 3}, middle: {0, 4}}
		}
		held := func(cell int) game.Side { return test.cells[cell] }
		if got := lines.Spoilt(test.line, game.First, held); got != test.spoilt {
			t.Errorf("%s: spoilt %v", test.what, got)
		}
	}
}

package lines_test

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"tengen/game"
	"tengen/game/lines"
)

func TestNumbersReadBack(t *testing.T) {
	size, k, err := lines.Parse(" 7, 6,4")
	if want := (game.Size{Rows: 6, Columns: 7}); err != nil || size != want || k != 4 {
		t.Errorf("7,6,4 is read as %v, %d, %v; want %v, 4", size, k, err, want)
	}
	if got := lines.Format(size, k); got != "7,6,4" {
		t.Errorf("written as %q; want 7,6,4", got)
	}
}

func TestErrorsNameTheNumber(t *testing.T) {
	for text, message := range map[string]string{
		"7,6": "want three numbers", "7,6,x": `"x" is not a number`,
		"0,6,4": "columns must be from 1 to 10", "7,11,4": "rows must be from 1 to 10", "7,6,8": "k must be from 1 to 7",
	} {
		size, k, err := lines.Parse(text)
		if err == nil {
			err = lines.Check(size, k, 10)
		}
		if err == nil || !strings.Contains(err.Error(), message) {
			t.Errorf("%s: error %v; want one with %q", text, err, message)
		}
	}
}

// A board of m columns and n rows has n(m-k+1) rows of k cells, m(n-k+1) columns and twice (m-k+1)(n-k+1) diagonals.
func TestAllLines(t *testing.T) {
	for _, test := range []struct {
		columns, rows, k, want int
	}{{3, 3, 3, 8}, {7, 6, 4, 69}, {15, 15, 5, 572}, {5, 1, 3, 3}, {1, 5, 3, 3}, {4, 2, 3, 4}, {3, 3, 1, 9}, {2, 2, 2, 6}} {
		all := lines.All(game.Size{Rows: test.rows, Columns: test.columns}, test.k)
		if len(all) != test.want {
			t.Errorf("%+v: %d lines", test, len(all))
		}
		if ends := lines.Ends(game.Size{Rows: test.rows, Columns: test.columns}, test.k); len(ends) != len(all) {
			t.Errorf("%+v: the ends of %d lines", test, len(ends))
		}
		for _, line := range all {
			for i := 2; i < len(line); i++ {
				if line[i]-line[i-1] != line[1]-line[0] {
					t.Errorf("%+v: line %v is not straight", test, line)
				}
			}
		}
	}
}

// Open finds what a loop over the lines, cell by cell, finds.
func TestOpenCountsLines(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		stride := rapid.IntRange(1, 22).Draw(t, "stride")
		k := rapid.IntRange(1, 12).Draw(t, "k")
		starts := rapid.Uint64().Draw(t, "starts")
		var own, opponent [6]uint64 // the last line ends in bit 63 + 11*22, of word 4
		for w := range own {
			own[w] = rapid.Uint64().Draw(t, "own")
			opponent[w] = rapid.Uint64().Draw(t, "thinned") & rapid.Uint64().Draw(t, "opponent") &^ own[w]
		}
		has := func(set [6]uint64, cell int) bool { return set[cell/64]>>(cell%64)&1 != 0 }
		want := 0
		for start := range 64 {
			stones, open := 0, starts>>start&1 != 0
			for cell := start; cell < start+k*stride; cell += stride {
				if has(own, cell) {
					stones++
				}
				open = open && !has(opponent, cell)
			}
			if open && stones > 0 {
				want += 1 << (2 * min(stones, 8))
			}
		}
		if got := lines.Open(starts, own[:], opponent[:], stride, k); got != want {
			t.Fatalf("weight %d; want %d", got, want)
		}
	})
}

// A line goes on, at both ends, to the neighbours that it has there on the board.
func TestEnds(t *testing.T) {
	size := game.Size{Rows: 3, Columns: 4}
	all, ends := lines.All(size, 2), lines.Ends(size, 2)
	for _, test := range []struct{ first, last, before, after int16 }{
		{0, 1, -1, 2}, {1, 2, 0, 3}, {2, 3, 1, -1}, {4, 5, -1, 6}, // rows
		{0, 4, -1, 8}, {7, 11, 3, -1}, // columns
		{0, 5, -1, 10}, {5, 10, 0, -1}, {6, 11, 1, -1}, {2, 7, -1, -1}, // down to the right
		{3, 6, -1, 9}, {6, 9, 3, -1}, {1, 4, -1, -1}, // down to the left
	} {
		i := slices.IndexFunc(all, func(line []int16) bool { return line[0] == test.first && line[1] == test.last })
		if got := ends[i]; got != [2]int16{test.before, test.after} {
			t.Errorf("the line %v ends at %v; want %d and %d", all[i], got, test.before, test.after)
		}
	}
}

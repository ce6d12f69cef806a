package lines_test

import (
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

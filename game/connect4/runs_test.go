package connect4

import (
	"math/bits"
	"testing"

	"tengen/game"
	"tengen/internal/random"
)

// everyBoard calls f for each board, with each k, of at most most cells.
func everyBoard(most int, f func(columns, rows, k int)) {
	for columns := 1; columns <= most; columns++ {
		for rows := 1; columns*rows <= most; rows++ {
			for k := 1; k <= max(columns, rows); k++ {
				f(columns, rows, k)
			}
		}
	}
}

// everyLine returns all lines of k cells on the board.
func everyLine(columns, rows, k int) map[uint64]bool {
	all := map[uint64]bool{}
	for _, step := range [4]struct{ column, row int }{{1, 0}, {0, 1}, {1, 1}, {1, -1}} {
		for column := range columns {
			for row := range rows {
				var line uint64
				for i := range k {
					c, r := column+i*step.column, row+i*step.row
					if c < columns && r >= 0 && r < rows {
						line |= 1 << (c*rows + r)
					}
				}
				if bits.OnesCount64(line) == k {
					all[line] = true
				}
			}
		}
	}
	return all
}

// TestEveryLine covers each line of each board: it wins, and does not when any one stone is missing.
func TestEveryLine(t *testing.T) {
	everyBoard(MaxCells, func(columns, rows, k int) {
		r := newRuns(game.Size{Rows: rows, Columns: columns}, k)
		for line := range everyLine(columns, rows, k) {
			if !r.in(line) {
				t.Errorf("%d columns, %d rows, k %d: the line %x does not win", columns, rows, k, line)
			}
			for rest := line; rest != 0; rest &= rest - 1 {
				if missing := rest & -rest; r.in(line &^ missing) {
					t.Errorf("%d columns, %d rows, k %d: the line %x wins without %x", columns, rows, k, line, missing)
				}
			}
		}
	})
}

// TestEdgesDoNotWrap covers k cells evenly spaced in the bitboard, as those of a line are, which are none: a column that
// goes on in the next, a row or diagonal that comes in again on another side.
func TestEdgesDoNotWrap(t *testing.T) {
	tried := 0
	everyBoard(MaxCells, func(columns, rows, k int) {
		r := newRuns(game.Size{Rows: rows, Columns: columns}, k)
		lines := everyLine(columns, rows, k)
		for _, stride := range []int{1, rows - 1, rows, rows + 1} {
			for from := 0; stride > 0 && from+(k-1)*stride < columns*rows; from++ {
				var stones uint64
				for i := range k {
					stones |= 1 << (from + i*stride)
				}
				if lines[stones] {
					continue
				}
				tried++
				if r.in(stones) {
					t.Errorf("%d columns, %d rows, k %d: %x wins around an edge", columns, rows, k, stones)
				}
			}
		}
	})
	if tried == 0 {
		t.Error("no line runs over an edge")
	}
}

// TestLinesAmongOtherStones compares boards filled at random, thinly and densely, with a look at each line.
func TestLinesAmongOtherStones(t *testing.T) {
	var won, open int
	everyBoard(MaxCells, func(columns, rows, k int) {
		r := newRuns(game.Size{Rows: rows, Columns: columns}, k)
		lines := everyLine(columns, rows, k)
		rng := random.New(1, random.Test, uint64(columns), uint64(rows), uint64(k))
		for range 10 {
			density := rng.Float64()
			var stones uint64
			for cell := range columns * rows {
				if rng.Float64() < density {
					stones |= 1 << cell
				}
			}
			want := false
			for line := range lines {
				want = want || line&^stones == 0
			}
			if got := r.in(stones); got != want {
				t.Fatalf("%d columns, %d rows, k %d, stones %x: a line is found: %t; want %t", columns, rows, k, stones, got, want)
			}
			if want {
				won++
			} else {
				open++
			}
		}
	})
	if min(won, open) < 1000 {
		t.Errorf("%d boards with a line and %d without are too few", won, open)
	}
}

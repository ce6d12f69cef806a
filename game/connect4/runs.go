package connect4

import "tengen/game"

// runs finds k in a row on a bitboard by shifting it over itself instead of walking from the last stone.
//
// In each of the four directions, neighbours are a fixed number of bits apart, the stride. b & b>>stride has a bit
// wherever two in a row begin; that ANDed with itself two strides on has one wherever four begin, and so on by
// doubling. A walk takes a step per stone and stops where the processor cannot foresee; this takes 2*log2(k) operations
// in each direction, side by side, without a branch that depends on the stones.
//
// Nothing separates the top of a column from the bottom of the next, which leaves room for 8x8 in 64 bits. So a run of
// bits may wrap around an edge of the board, and only those that begin on a cell of starts are lines.
type runs struct {
	shifts [][4]uint8 // per doubling, the bits to shift by in each direction
	starts [4]uint64  // per direction, the cells where k in a row may begin and stay on the board
}

// directions are the steps, in columns to the right and rows up, of the four lines through a cell. In each of them the
// cells' numbers go up.
var directions = [4]struct{ column, row int }{{0, 1}, {1, -1}, {1, 0}, {1, 1}}

// newRuns prepares the search for k in a row. Where starts is empty, shifts may be over 63 and mean nothing.
func newRuns(size game.Size, k int) runs {
	var r runs
	for length := 1; length < k; {
		more := min(length, k-length) // the last step overlaps when k is no power of two
		var shifts [4]uint8
		for i, d := range directions {
			shifts[i] = uint8(more * (d.column*size.Rows + d.row))
		}
		r.shifts = append(r.shifts, shifts)
		length += more
	}
	for i, d := range directions {
		for cell := range size.Cells() {
			column, row := cell/size.Rows+(k-1)*d.column, cell%size.Rows+(k-1)*d.row
			if column < size.Columns && row >= 0 && row < size.Rows {
				r.starts[i] |= 1 << cell
			}
		}
	}
	return r
}

// in reports whether stones hold k in a row.
func (r *runs) in(stones uint64) bool {
	up, fall, right, rise := stones, stones, stones, stones
	for i := range r.shifts {
		by := &r.shifts[i]
		up &= up >> (by[0] & 63)
		fall &= fall >> (by[1] & 63)
		right &= right >> (by[2] & 63)
		rise &= rise >> (by[3] & 63)
	}
	return up&r.starts[0]|fall&r.starts[1]|right&r.starts[2]|rise&r.starts[3] != 0
}

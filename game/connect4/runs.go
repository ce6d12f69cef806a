package connect4

import "tengen/game"

// runs finds k in a row on a bitboard by shifting it over itself.
//
// In each direction, neighbours are a stride of bits apart. b & b>>stride has a bit wherever two in a row begin; ANDing
// that with itself two strides further on gives the beginnings of four, and so on by doubling. This takes 2*log2(k)
// operations per direction, without the unpredictable branches of a walk.
//
// Runs may wrap from the top of a column to the bottom of the next. Only those that begin in starts are lines.
type runs struct {
	shifts [][4]uint8 // [doubling][direction] bits to shift by
	starts [4]uint64  // [direction] the first cells of the lines of k
}

// directions are the steps, in columns to the right and rows up, along the four lines through a cell, to higher bits.
var directions = [4]struct{ column, row int }{{0, 1}, {1, -1}, {1, 0}, {1, 1}}

// newRuns leaves meaningless shifts, above 63, in directions without starts.
func newRuns(size game.Size, k int) runs {
	var r runs
	for length := 1; length < k; {
		more := min(length, k-length) // the last step overlaps if k is not a power of two
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

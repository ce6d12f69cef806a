package connect4

// lines finds k in a row on a bitboard by shifting it over itself instead of walking from the last stone.
//
// In each of the four directions, neighbours are a fixed number of bits apart, the stride. b & b>>stride has a bit
// wherever two in a row begin; that ANDed with itself two strides on has one wherever four begin, and so on by doubling.
// A walk takes a step per stone and stops where the processor cannot foresee; this takes 2*log2(k) operations in each
// direction, side by side, without a branch that depends on the stones.
//
// Nothing separates the top of a column from the bottom of the next, which leaves room for 8x8 in 64 bits. So a run of
// bits may wrap around an edge of the board, and only those that begin on a cell of starts are lines.
type lines struct {
	shifts [][4]uint8 // per doubling, the bits to shift by in each direction
	starts [4]uint64  // per direction, the cells where k in a row may begin and stay on the board
}

// directions are the steps, in columns to the right and rows up, of the four lines through a cell. In each of them the
// cells' numbers go up.
var directions = [4]struct{ column, row int }{{0, 1}, {1, -1}, {1, 0}, {1, 1}}

// newLines prepares the search for k in a row. Where starts is empty, shifts may be over 63 and mean nothing.
func newLines(columns, rows, k int) lines {
	var l lines
	for length := 1; length < k; {
		more := min(length, k-length) // the last step overlaps when k is no power of two
		var shifts [4]uint8
		for i, d := range directions {
			shifts[i] = uint8(more * (d.column*rows + d.row))
		}
		l.shifts = append(l.shifts, shifts)
		length += more
	}
	for i, d := range directions {
		for cell := range columns * rows {
			column, row := cell/rows+(k-1)*d.column, cell%rows+(k-1)*d.row
			if column < columns && row >= 0 && row < rows {
				l.starts[i] |= 1 << cell
			}
		}
	}
	return l
}

// in reports whether stones hold k in a row.
func (l *lines) in(stones uint64) bool {
	up, fall, right, rise := stones, stones, stones, stones
	for i := range l.shifts {
		by := &l.shifts[i]
		up &= up >> (by[0] & 63)
		fall &= fall >> (by[1] & 63)
		right &= right >> (by[2] & 63)
		rise &= rise >> (by[3] & 63)
	}
	return up&l.starts[0]|fall&l.starts[1]|right&l.starts[2]|rise&l.starts[3] != 0
}

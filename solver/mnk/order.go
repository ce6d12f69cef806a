package mnk

import "math/bits"

type ordering struct {
	cells [maxCells]uint8
	n     int
}

// order sorts moves by the open lines through them. A line weighs more the fewer stones it misses, and twice as much
// for own, the side to move. order drops cells on no open line: they equal a pass, never better than the best move.
func (b *board) order(o *ordering, own, other, moves uint64) {
	var weights [maxCells]int
	b.weigh(&weights, own, other, moves, 2)
	b.weigh(&weights, other, own, moves, 1)
	for ; moves != 0; moves &= moves - 1 {
		cell := bits.TrailingZeros64(moves)
		if weights[cell] == 0 {
			continue
		}
		i := o.n
		for ; i > 0 && weights[o.cells[i-1]] < weights[cell]; i-- {
			o.cells[i] = o.cells[i-1]
		}
		o.cells[i] = uint8(cell)
		o.n++
	}
}

// weigh adds share*4^(k-missing) for each open line of own to its cells among moves.
func (b *board) weigh(weights *[maxCells]int, own, other, moves uint64, share int) {
	for _, line := range b.lines {
		if line&other != 0 {
			continue
		}
		missing := line &^ own
		weight := share << (2 * (b.k - bits.OnesCount64(missing)))
		for set := missing & moves; set != 0; set &= set - 1 {
			weights[bits.TrailingZeros64(set)] += weight
		}
	}
}

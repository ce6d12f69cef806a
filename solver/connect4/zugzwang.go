package connect4

import "math/bits"

// This file proves results without a search, by control of the zugzwang (Allis 1988, "A Knowledge-based Approach of
// Connect-Four", chapters 3 to 5). The side that has just moved follows the other:
//
//   - In a column with an even number of empty cells it answers each move with a stone on top. It gets every second
//     cell there, including the topmost (Claimeven).
//   - It pairs columns with an odd number. When the other side takes the lowest cell of one, it takes the lowest cell
//     of its partner (Baseinverse); then both are even.
//
// The other side gets the remaining cells of even columns, and some of the lowest cells of odd ones. If these contain
// no four, it cannot win. In the end it must play below each threat of the follower.
//
// If the number of empty cells is odd, one odd column has no partner. The follower follows there too if it has a threat
// in that column outside its Claimeven cells, because the other side must play below it first.

type parity struct {
	evens          uint64     // each column's topmost cell and every second one below
	columns, below [64]uint64 // for each cell: its whole column, the cells below it
}

func parityOf(b *board) parity {
	var p parity
	for c := range b.size.Columns {
		for r := range b.size.Rows {
			cell := uint(c)*b.stride + uint(r)
			p.columns[cell] = b.column(c)
			p.below[cell] = b.column(c) & (1<<cell - 1)
			if (b.size.Rows-r)%2 == 1 {
				p.evens |= 1 << cell
			}
		}
	}
	return p
}

// controls reports whether a move of p is proven to reach score, at most 1.
func (b *board) controls(p position, moves []candidate, ply, score int) bool {
	for i := range moves {
		if b.follows(p.after(&moves[i]), ply+1, score) {
			return true
		}
	}
	return false
}

// follows reports whether following is proven to reach score, at most 1, for the side not to move in p, at ply. It
// misses many results.
func (b *board) follows(p position, ply, score int) bool {
	empty, playable := b.all&^p.mask, b.playable(p.mask)
	odd := playable & b.evens                  // odd columns' lowest cells
	reach := empty&^b.evens | odd              // cells that the side to move may get
	threats := p.threats & b.evens &^ playable // cells above these are never played
	for t := threats; t != 0; t &= t - 1 {
		cell := bits.TrailingZeros64(t)
		reach &^= b.columns[cell] &^ b.below[cell]
	}
	if (b.cells-ply)%2 == 0 {
		return !b.hasFour(p.own|reach) && (score <= 0 || threats != 0 || b.hasFour(p.own^p.mask|empty&b.evens&^odd))
	}
	for t := p.threats &^ b.evens; t != 0; t &= t - 1 {
		cell := bits.TrailingZeros64(t)
		column := b.columns[cell]
		if odd&column != 0 && !b.hasFour(p.own|reach&^column|empty&b.evens&b.below[cell]) {
			return true
		}
	}
	return false
}

func (b *board) hasFour(cells uint64) bool { return b.fours(cells)&cells != 0 }

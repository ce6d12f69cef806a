package connect4

import "math/bits"

// This file proves results without a search, by control of the zugzwang (Allis 1988, "A Knowledge-based Approach of Connect-Four",
// chapters 3 to 5). The side that has just moved follows the other one:
//   - In a column with an even number of empty cells it answers each move with one on top of it. So it gets every second cell
//     there, the topmost among them (Claimeven).
//   - Columns with an odd number go in pairs. Of the lowest cells of two of them it takes one when the other side takes the
//     other (Baseinverse); then both are even.
//
// So the other side gets cells of the other kind, and some of those lowest ones. If there is no four for it in all of these
// together, it cannot win; and in the end it must play below each threat of the side that follows.
//
// When the number of empty cells is odd, one odd column is left over. There it is followed, too, if the side that follows has a
// threat in a cell of the other kind: that side never has to move elsewhere, because the other must play below the threat before.

// parity is the geometry that the proofs need.
type parity struct {
	evens          uint64     // the topmost cell of each column and every second one below: the even rows where their number is even
	columns, below [64]uint64 // for each cell, all cells of its column, and those below it there
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

// controls reports whether one of the moves of p can be shown to lead to at least score, at most 1.
func (b *board) controls(p position, moves []candidate, ply, score int) bool {
	for i := range moves {
		if b.follows(p.after(&moves[i]), ply+1, score) {
			return true
		}
	}
	return false
}

// follows reports whether the side that is not to move reaches at least score, at most 1, if it follows the other. ply is that of
// p, in which nobody has won. It overlooks much, but what it says is so.
func (b *board) follows(p position, ply, score int) bool {
	empty, playable := b.all&^p.mask, b.playable(p.mask)
	odd := playable & b.evens                  // the lowest cells of odd columns
	reach := empty&^b.evens | odd              // what the side to move may get
	threats := p.threats & b.evens &^ playable // no cell above them is ever played
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

// hasFour reports whether there are four in a row of the given cells.
func (b *board) hasFour(cells uint64) bool { return b.fours(cells)&cells != 0 }

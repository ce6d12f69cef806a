package mnk

import (
	"tengen/game/lines"
	"tengen/game/mnk"
)

// board holds cells and lines. Sets of cells have cell i as bit i.
type board struct {
	k          int
	all        uint64
	lines      []uint64
	directions [4]direction
}

// direction is a direction of lines. Ahead means towards larger cells.
type direction struct {
	stride        int    // from a cell to the next
	ahead, behind uint64 // the cells with a next and with a previous cell
}

func newBoard(g *mnk.Game) *board {
	size := g.Board()
	b := &board{k: g.K(), all: ^uint64(0) >> (maxCells - g.Actions())}
	for i, step := range lines.Directions {
		d := &b.directions[i]
		d.stride = step.Rows*size.Columns + step.Columns
		for cell := range g.Actions() {
			if next := size.Step(cell, step.Rows, step.Columns); next >= 0 {
				d.ahead |= 1 << cell
				d.behind |= 1 << next
			}
		}
	}
	for _, line := range g.Start().Lines().Cells {
		var cells uint64
		for _, cell := range line {
			cells |= 1 << cell
		}
		b.lines = append(b.lines, cells)
	}
	return b
}

// completing returns the empty cells where a stone makes k in a row for own: those with i stones in a row right behind
// and k-1-i right ahead.
func (b *board) completing(own, other uint64) uint64 {
	var found uint64
	var ahead [mnk.MaxSide]uint64 // [i]: the cells with i stones right ahead
	for i := range b.directions {
		d := &b.directions[i]
		row := ^uint64(0)
		for i := range b.k {
			ahead[i] = row
			row = row & own & d.behind >> d.stride
		}
		row = ^uint64(0)
		for i := range b.k {
			found |= ahead[b.k-1-i] & row
			row = row & own & d.ahead << d.stride
		}
	}
	return found & b.all &^ (own | other)
}

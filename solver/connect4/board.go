package connect4

import (
	"math/bits"

	"tengen/game"
	"tengen/solver"
)

// board is a board's geometry. Bitboards go column by column from the left, each from the bottom up, with an extra
// empty cell on top.
type board struct {
	size   game.Size
	cells  int
	stride uint   // between horizontal neighbours
	bottom uint64 // the lowest cell of each column
	all    uint64
	order  []uint64 // columns, the centre first
	parity

	// fastest[ply] is the score of a side that wins with that ply, and 0 for the four plies past the last.
	fastest [maxCells + 5]int
}

// maxCells is the most that 64 bits hold with 4 columns and an extra cell on each.
const maxCells = 60

func newBoard(size game.Size) *board {
	b := &board{size: size, cells: size.Cells(), stride: uint(size.Rows) + 1}
	for c := range size.Columns {
		b.bottom |= 1 << (uint(c) * b.stride)
	}
	b.all = b.bottom * (1<<size.Rows - 1)
	b.parity = parityOf(b)
	for i := range size.Columns {
		c := size.Columns/2 + (1-2*(i%2))*(i+1)/2
		b.order = append(b.order, b.column(c))
	}
	for ply := range b.cells + 1 {
		b.fastest[ply] = int(solver.WinAt(b.cells, ply))
	}
	return b
}

func (b *board) column(c int) uint64 { return (1<<b.size.Rows - 1) << (uint(c) * b.stride) }

// position is a position without a four in a row.
type position struct {
	own     uint64 // the stones of the side to move
	mask    uint64 // all stones
	threats uint64 // the empty cells that give the opponent a four
}

// position converts bitboards in the layout of package game/connect4.
func (b *board) position(own, opponent uint64) position {
	var p position
	for c := range b.size.Columns {
		from, to := c*b.size.Rows, uint(c)*b.stride
		p.own |= own >> from & (1<<b.size.Rows - 1) << to
		p.mask |= (own | opponent) >> from & (1<<b.size.Rows - 1) << to
	}
	p.threats = b.fours(p.own^p.mask) & b.all &^ p.mask
	return p
}

func (p position) ply() int { return bits.OnesCount64(p.mask) }

// playable returns the lowest empty cell of each column.
func (b *board) playable(mask uint64) uint64 { return (mask + b.bottom) & b.all }

// play returns the position after a playable cell that does not win.
func (b *board) play(p position, cell uint64) position {
	mask := p.mask | cell
	return position{own: p.own ^ p.mask, mask: mask, threats: b.fours(p.own|cell) & b.all &^ mask}
}

func (b *board) wins(p position) bool { return b.fours(p.own)&b.playable(p.mask) != 0 }

// safe returns the moves after which the opponent cannot win at once: none if it has two playable threats, or one above
// the other.
func (b *board) safe(p position) uint64 {
	cells := b.playable(p.mask)
	if forced := cells & p.threats; forced != 0 {
		if forced&(forced-1) != 0 {
			return 0
		}
		cells = forced
	}
	return cells &^ (p.threats >> 1)
}

// fours returns the cells, taken or not, that make a four with three stones.
func (b *board) fours(stones uint64) uint64 {
	upright := stones << 1 & (stones << 2) & (stones << 3)
	return upright | along(stones, b.stride) | along(stones, b.stride-1) | along(stones, b.stride+1)
}

// along is fours for neighbours d bits apart, 3*d below 64.
func along(stones uint64, d uint) uint64 {
	left := stones << (d & 63) & (stones << (2 * d & 63))
	right := stones >> (d & 63) & (stones >> (2 * d & 63))
	return left&(stones<<(3*d&63)|stones>>(d&63)) | right&(stones>>(3*d&63)|stones<<(d&63))
}

// key identifies a position: the sum encodes each column's height.
func (p position) key() uint64 { return p.own + p.mask }

func (b *board) mirrored(p position) uint64 {
	var mirror uint64
	key := p.key()
	for range b.size.Columns {
		mirror = mirror<<b.stride | key&(1<<b.stride-1)
		key >>= b.stride
	}
	return mirror
}

func (b *board) folded(p position) uint64 { return min(p.key(), b.mirrored(p)) }

func (b *board) unkey(key uint64) position {
	var p position
	key += b.bottom // each column's highest bit is now the cell above its stones
	for c := range b.size.Columns {
		column := key >> (uint(c) * b.stride) & (1<<b.stride - 1)
		top := uint64(1) << (bits.Len64(column) - 1)
		p.own |= (column - top) << (uint(c) * b.stride)
		p.mask |= (top - 1) << (uint(c) * b.stride)
	}
	p.threats = b.fours(p.own^p.mask) & b.all &^ p.mask
	return p
}

package forced

import (
	"math/bits"
	"slices"

	"tengen/game"
	"tengen/internal/random"
)

const none int16 = -1

// board maintains the state of a position's lines. Side 0 is the first player, side 1 the second.
//
// A line is open to a side if the other side has no stone in it and the stones at its ends do not spoil it. It lacks as
// many stones as it has empty cells.
type board struct {
	set     *game.LineSet
	gravity bool        // some cells lie on others
	walls   bool        // opposing stones at both ends spoil a line
	through [][]int32   // [cells] the lines through each cell
	ending  [][]int32   // [cells] the lines that each cell extends, or nil
	above   []int16     // [cells] the cell on top, or none
	keys    [2][]uint64 // [side][cells] Zobrist keys

	lines    []line
	stones   [2]cells // by side
	playable cells    // where stones can land
	// By side: completing holds the empty cells that complete a line, making the empty cells of lines that lack two
	// stones. A cell counts once for each such line.
	completing, making [2]multiset
	key                uint64 // exclusive or of the stones' keys
}

type line struct {
	sum    int16    // of its empty cells: with one left, that cell
	length uint8    // in cells
	stones [2]uint8 // by side
	closed [2]uint8 // by side: opposing stones, plus 1 if spoilt
}

func (l *line) open(s int) bool { return l.closed[s] == 0 }

func (l *line) lacks(s int) uint8 { return l.length - l.stones[s] }

func newBoard(set *game.LineSet) *board {
	n := len(set.Actions)
	b := &board{
		set:      set,
		walls:    set.Closed,
		through:  make([][]int32, n),
		above:    slices.Repeat([]int16{none}, n),
		lines:    make([]line, len(set.Cells)),
		playable: newCells(n),
	}
	for s := range b.stones {
		b.stones[s] = newCells(n)
		b.completing[s], b.making[s] = newMultiset(n), newMultiset(n)
		b.keys[s] = make([]uint64, n)
		for cell := range n {
			b.keys[s][cell] = random.Mix(uint64(2*cell + s))
		}
	}
	for cell, below := range set.Below {
		if below >= 0 {
			b.above[below] = int16(cell)
			b.gravity = true
		}
	}
	for i, line := range set.Cells {
		l := &b.lines[i]
		l.length = uint8(len(line))
		for _, cell := range line {
			l.sum += cell
			b.through[cell] = append(b.through[cell], int32(i))
		}
		for s := range 2 {
			b.count(s, int32(i), 1)
		}
	}
	if set.Ends != nil {
		b.ending = make([][]int32, n)
	}
	for i, ends := range set.Ends {
		for _, end := range ends {
			if end >= 0 {
				b.ending[end] = append(b.ending[end], int32(i))
			}
		}
	}
	b.findPlayable()
	return b
}

// count adds by to the count of each empty cell of line i, which is open to side s, if it lacks one or two stones.
func (b *board) count(s int, i int32, by int) {
	switch l := &b.lines[i]; l.lacks(s) {
	case 1:
		b.completing[s].change(l.sum, by)
	case 2:
		x, y := b.twoLeft(i)
		b.making[s].change(x, by)
		b.making[s].change(y, by)
	}
}

// put puts a stone on an empty cell, without updating playable.
func (b *board) put(s int, cell int16) {
	b.change(s, cell, 1)
	b.respoil(cell)
}

// lift undoes put.
func (b *board) lift(s int, cell int16) {
	b.change(s, cell, -1)
	b.respoil(cell)
}

// change puts (by = 1) or lifts (by = -1) a stone, without respoil.
func (b *board) change(s int, cell int16, by int) {
	other := 1 - s
	b.key ^= b.keys[s][cell]
	b.stones[s].add(cell)
	for _, i := range b.through[cell] {
		l := &b.lines[i]
		if by > 0 {
			l.sum -= cell
		} else {
			l.stones[s]--
			l.closed[other]--
		}
		// Here l.stones and l.closed leave the stone out, and l.sum counts its cell as taken.
		if l.open(s) {
			switch l.lacks(s) {
			case 1:
				b.completing[s].change(cell, -by)
			case 2:
				b.making[s].change(cell, -by)
				b.making[s].change(l.sum, -by)
				b.completing[s].change(l.sum, by)
			case 3:
				x, y := b.twoLeft(i)
				b.making[s].change(x, by)
				b.making[s].change(y, by)
			}
		}
		if l.open(other) {
			switch l.lacks(other) {
			case 1:
				b.completing[other].change(cell, -by)
			case 2:
				b.making[other].change(cell, -by)
				b.making[other].change(l.sum, -by)
			}
		}
		if by > 0 {
			l.stones[s]++
			l.closed[other]++
		} else {
			l.sum += cell
		}
	}
	if by < 0 {
		b.stones[s].drop(cell)
	}
}

func (b *board) twoLeft(i int32) (x, y int16) {
	for _, cell := range b.set.Cells[i] {
		if !b.stones[0].has(cell) && !b.stones[1].has(cell) {
			return cell, b.lines[i].sum - cell
		}
	}
	panic("forced: a line without empty cells")
}

// play puts a stone on a playable cell.
func (b *board) play(s int, cell int16) {
	b.put(s, cell)
	b.playable.drop(cell)
	if above := b.above[cell]; above >= 0 {
		b.playable.add(above)
	}
}

func (b *board) undo(s int, cell int16) {
	if above := b.above[cell]; above >= 0 {
		b.playable.drop(above)
	}
	b.playable.add(cell)
	b.lift(s, cell)
}

// become sets the stones to want and updates only cells that differ.
func (b *board) become(want [2]cells) {
	for s := range want {
		for w, old := range b.stones[s] {
			for set := old &^ want[s][w]; set != 0; set &= set - 1 {
				b.lift(s, cellAt(w, set))
			}
		}
	}
	for s := range want {
		for w, old := range b.stones[s] {
			for set := want[s][w] &^ old; set != 0; set &= set - 1 {
				b.put(s, cellAt(w, set))
			}
		}
	}
	b.findPlayable()
}

func (b *board) findPlayable() {
	for w := range b.playable {
		b.playable[w] = ^(b.stones[0][w] | b.stones[1][w])
	}
	if last := len(b.set.Actions) & 63; last != 0 {
		b.playable[len(b.playable)-1] &= 1<<last - 1
	}
	if !b.gravity {
		return
	}
	for cell, below := range b.set.Below {
		if below >= 0 && !b.stones[0].has(below) && !b.stones[1].has(below) {
			b.playable.drop(int16(cell))
		}
	}
}

// completions returns the first two playable cells that complete a line, or none.
func (b *board) completions(s int) (first, second int16) {
	first = none
	for w, set := range b.completing[s].cells {
		for set &= b.playable[w]; set != 0; set &= set - 1 {
			if first != none {
				return first, cellAt(w, set)
			}
			first = cellAt(w, set)
		}
	}
	return first, none
}

// opens reports whether a stone on cell lets side s complete a line above.
func (b *board) opens(s int, cell int16) bool {
	above := b.above[cell]
	return above >= 0 && b.completing[s].cells.has(above)
}

type cells []uint64

func newCells(n int) cells { return make(cells, (n+63)/64) }

func (c cells) has(cell int16) bool { return c[cell>>6]>>(cell&63)&1 != 0 }
func (c cells) add(cell int16)      { c[cell>>6] |= 1 << (cell & 63) }
func (c cells) drop(cell int16)     { c[cell>>6] &^= 1 << (cell & 63) }

func (c cells) empty() bool {
	for _, word := range c {
		if word != 0 {
			return false
		}
	}
	return true
}

func cellAt(w int, word uint64) int16 { return int16(w<<6 + bits.TrailingZeros64(word)) }

// multiset is a set that may contain a cell more than once.
type multiset struct {
	counts []uint16
	cells  cells // with a positive count
}

func newMultiset(n int) multiset { return multiset{make([]uint16, n), newCells(n)} }

// change adds by to a cell's count, which stays below 1<<15. It has no branch, because the processor could not predict
// it.
func (m *multiset) change(cell int16, by int) {
	count := m.counts[cell] + uint16(by)
	m.counts[cell] = count
	m.cells.drop(cell)
	m.cells[cell>>6] |= uint64((count|-count)>>15) << (cell & 63)
}

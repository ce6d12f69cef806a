package forced

import (
	"math/bits"

	"tengen/game"
	"tengen/internal/random"
)

// none is no cell.
const none int16 = -1

// board keeps what the lines of a position say, stone by stone. Sides are 0, the first player, and 1.
//
// A line is open to a side that alone has stones in it, or to both while it is empty, unless it is spoilt for the side
// by what is at its ends, and lacks as many stones as it has empty cells. With a stone, only the lines through its cell
// change, and those that end there; so a stone costs a few operations on each of those.
type board struct {
	set     *game.LineSet
	gravity bool        // some cells lie on others
	walls   bool        // two stones of the opponent at its ends spoil a line
	through [][]int32   // [cells] the lines through each cell
	ending  [][]int32   // [cells] the lines that would go on with each cell; nil where that does not matter
	above   []int16     // [cells] the cell that lies on each, none where none does
	keys    [2][]uint64 // [side][cells] Zobrist keys

	lines    []line
	stones   [2]cells // of each side
	playable cells    // the empty cells on which a stone can land
	// completing are the empty cells with which a side completes a line: the lines that lack one stone. making are
	// those that lack two, with which it makes one that lacks one. A cell counts once for each line.
	completing, making [2]multiset
	key                uint64 // the exclusive or of the keys of the stones
}

// line is one line of the board.
type line struct {
	sum    int16    // of the numbers of its empty cells: with one left, that cell
	length uint8    // its cells
	stones [2]uint8 // of each side
	closed [2]uint8 // how much closes it to each side: stones of the other, and 1 if it is spoilt
}

// open reports whether the line is open to side s.
func (l *line) open(s int) bool { return l.closed[s] == 0 }

// lacks is the number of stones that side s lacks to complete the line, as long as it is open to s.
func (l *line) lacks(s int) uint8 { return l.length - l.stones[s] }

// newBoard returns the empty board of the lines.
func newBoard(set *game.LineSet) *board {
	n := len(set.Actions)
	b := &board{
		set:      set,
		walls:    set.Closed,
		through:  make([][]int32, n),
		above:    make([]int16, n),
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
	for cell := range n {
		b.above[cell] = none
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
			b.count(s, int32(i), (*multiset).add)
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

// count changes the counts of side s for the empty cells of line i, which is open to it, if it lacks one stone or two.
func (b *board) count(s int, i int32, change func(m *multiset, cell int16)) {
	switch l := &b.lines[i]; l.lacks(s) {
	case 1:
		change(&b.completing[s], l.sum)
	case 2:
		x, y := b.twoLeft(i)
		change(&b.making[s], x)
		change(&b.making[s], y)
	}
}

// put puts a stone of side s on an empty cell, playable or not, and leaves playable as it is.
func (b *board) put(s int, cell int16) {
	b.fill(s, cell)
	if b.ending != nil {
		b.respoil(cell)
	}
}

// lift takes away the stone that put has put.
func (b *board) lift(s int, cell int16) {
	b.unfill(s, cell)
	if b.ending != nil {
		b.respoil(cell)
	}
}

// fill is put, but for lines that end on the cell: they are spoilt or not as they were.
func (b *board) fill(s int, cell int16) {
	other := 1 - s
	b.stones[s].add(cell)
	b.key ^= b.keys[s][cell]
	for _, i := range b.through[cell] {
		l := &b.lines[i]
		l.sum -= cell
		if l.open(s) {
			switch l.lacks(s) {
			case 1:
				b.completing[s].drop(cell)
			case 2:
				b.making[s].drop(cell)
				b.making[s].drop(l.sum)
				b.completing[s].add(l.sum)
			case 3:
				x, y := b.twoLeft(i)
				b.making[s].add(x)
				b.making[s].add(y)
			}
		}
		if l.open(other) {
			switch l.lacks(other) {
			case 1:
				b.completing[other].drop(cell)
			case 2:
				b.making[other].drop(cell)
				b.making[other].drop(l.sum)
			}
		}
		l.stones[s]++
		l.closed[other]++
	}
}

// unfill takes away the stone that fill has put.
func (b *board) unfill(s int, cell int16) {
	other := 1 - s
	for _, i := range b.through[cell] {
		l := &b.lines[i]
		l.stones[s]--
		l.closed[other]--
		if l.open(s) {
			switch l.lacks(s) {
			case 1:
				b.completing[s].add(cell)
			case 2:
				b.completing[s].drop(l.sum)
				b.making[s].add(l.sum)
				b.making[s].add(cell)
			case 3:
				x, y := b.twoLeft(i)
				b.making[s].drop(x)
				b.making[s].drop(y)
			}
		}
		if l.open(other) {
			switch l.lacks(other) {
			case 1:
				b.completing[other].add(cell)
			case 2:
				b.making[other].add(l.sum)
				b.making[other].add(cell)
			}
		}
		l.sum += cell
	}
	b.key ^= b.keys[s][cell]
	b.stones[s].drop(cell)
}

// twoLeft are the empty cells of line i, which has two.
func (b *board) twoLeft(i int32) (x, y int16) {
	for _, cell := range b.set.Cells[i] {
		if !b.stones[0].has(cell) && !b.stones[1].has(cell) {
			return cell, b.lines[i].sum - cell
		}
	}
	panic("forced: a line without empty cells")
}

// play puts a stone of side s on a playable cell.
func (b *board) play(s int, cell int16) {
	b.put(s, cell)
	b.playable.drop(cell)
	if above := b.above[cell]; above >= 0 {
		b.playable.add(above)
	}
}

// undo takes back what play has played last.
func (b *board) undo(s int, cell int16) {
	if above := b.above[cell]; above >= 0 {
		b.playable.drop(above)
	}
	b.playable.add(cell)
	b.lift(s, cell)
}

// become makes the stones those of want. It takes time for the cells that differ only.
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

// findPlayable works out playable from the stones.
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

// completions returns the first two playable cells with which side s completes a line, none where there are fewer.
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

// opens reports whether a stone on cell lets side s complete a line on the cell above.
func (b *board) opens(s int, cell int16) bool {
	above := b.above[cell]
	return above >= 0 && b.completing[s].cells.has(above)
}

// cells is a set of cells.
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

// cellAt is the cell of the lowest bit of word w of a set.
func cellAt(w int, word uint64) int16 { return int16(w<<6 + bits.TrailingZeros64(word)) }

// multiset is cells that may be in it more than once.
type multiset struct {
	counts []uint16
	cells  cells // those in it
}

func newMultiset(n int) multiset { return multiset{make([]uint16, n), newCells(n)} }

func (m *multiset) add(cell int16) {
	m.counts[cell]++
	m.cells.add(cell)
}

func (m *multiset) drop(cell int16) {
	if m.counts[cell]--; m.counts[cell] == 0 {
		m.cells.drop(cell)
	}
}

package othello

import (
	"math/bits"

	"tengen/game"
)

// set is a set of cells: cell i is bit i%64 of word i/64. A 12x12 board has 144 cells. The compiler keeps such a struct
// in registers, unlike an array.
type set struct{ a, b, c uint64 }

// single returns the set of one cell.
func single(cell int) set {
	var words [3]uint64
	words[cell>>6] = 1 << (cell & 63)
	return set{words[0], words[1], words[2]}
}

func (s set) words() [3]uint64  { return [3]uint64{s.a, s.b, s.c} }
func (s set) has(cell int) bool { return s.words()[cell>>6]>>(cell&63)&1 != 0 }
func (s set) and(t set) set     { return set{s.a & t.a, s.b & t.b, s.c & t.c} }
func (s set) or(t set) set      { return set{s.a | t.a, s.b | t.b, s.c | t.c} }
func (s set) without(t set) set { return set{s.a &^ t.a, s.b &^ t.b, s.c &^ t.c} }
func (s set) count() int {
	return bits.OnesCount64(s.a) + bits.OnesCount64(s.b) + bits.OnesCount64(s.c)
}

// turned returns the set with cell i at i+by, around the 192 bits. by is from -63 to 63, but not 0.
func (s set) turned(by int) set {
	if by < 0 {
		s.a, s.b, s.c, by = s.b, s.c, s.a, by+64
	}
	up, down := by&63, -by&63
	return set{s.a<<up | s.c>>down, s.b<<up | s.a>>down, s.c<<up | s.b>>down}
}

// direction is one of the eight steps from a cell to a neighbour.
type direction struct {
	by    int // what the step adds to a cell's number
	reach set // the cells that it leads to from cells of the board
}

func directions(size game.Size) (all [8]direction) {
	for i, step := range [8][2]int{{0, 1}, {0, -1}, {1, 0}, {-1, 0}, {1, 1}, {1, -1}, {-1, 1}, {-1, -1}} {
		d := &all[i]
		d.by = step[0]*size.Columns + step[1]
		for cell := range size.Cells() {
			if to := size.Step(cell, step[0], step[1]); to >= 0 {
				d.reach = d.reach.or(single(to))
			}
		}
	}
	return all
}

// run returns the cells of over that follow a cell of from in the direction without a gap, on a board of at most 64
// cells and 8 rows. It doubles the length of the runs with each line. reach keeps bits from turning around the board's
// edges.
func (d *direction) run(from, over uint64) uint64 {
	by := d.by
	over &= d.reach.a
	run := over & bits.RotateLeft64(from, by)
	run |= over & bits.RotateLeft64(run, by)
	over &= bits.RotateLeft64(over, by)
	run |= over & bits.RotateLeft64(run, 2*by)
	over &= bits.RotateLeft64(over, 2*by)
	return run | over&bits.RotateLeft64(run, 4*by)
}

// next returns the neighbours of the cells of from, on a board of at most 64 cells.
func (d *direction) next(from uint64) uint64 { return d.reach.a & bits.RotateLeft64(from, d.by) }

// wideRun is run on a board of any size.
func (d *direction) wideRun(from, over set) set {
	by := d.by
	open := over.and(d.reach)
	run := open.and(from.turned(by))
	run = run.or(open.and(run.turned(by)))
	open = open.and(open.turned(by))
	run = run.or(open.and(run.turned(2 * by)))
	open = open.and(open.turned(2 * by))
	run = run.or(open.and(run.turned(4 * by)))
	return run.or(open.and(run.turned(4 * by)))
}

// wideNext is next on a board of any size.
func (d *direction) wideNext(from set) set { return d.reach.and(from.turned(d.by)) }

// moves returns the cells where a disc of own would turn others over.
func (g *Game) moves(own, opponent set) (cells set) {
	for i := range g.directions {
		d := &g.directions[i]
		if g.wide {
			cells = cells.or(d.wideNext(d.wideRun(own, opponent)))
		} else {
			cells.a |= d.next(d.run(own.a, opponent.a))
		}
	}
	return cells.without(own).without(opponent)
}

// flips returns the discs of opponent that a disc of own on the cell turns over.
func (g *Game) flips(cell int, own, opponent set) (discs set) {
	disc := single(cell)
	for i := range g.directions {
		d := &g.directions[i]
		if g.wide {
			if run := d.wideRun(disc, opponent); d.wideNext(run).and(own) != (set{}) {
				discs = discs.or(run)
			}
		} else if run := d.run(disc.a, opponent.a); own.a&d.next(run) != 0 {
			discs.a |= run
		}
	}
	return discs
}

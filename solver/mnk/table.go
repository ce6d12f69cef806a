package mnk

import (
	"math/bits"

	"tengen/game"
	"tengen/internal/random"
)

// mover is the role of the side to move. The zero mover marks an empty entry.
type mover uint8

const (
	attacking mover = iota + 1
	defending
)

// entry is what is known of a position and all its images.
type entry struct {
	position
	mover           mover
	atLeast, atMost int16 // bounds of the distance, as those of Solver.attack
}

func (e *entry) holds(p position, m mover) bool { return e.mover == m && e.position == p }

// work is larger for positions whose results took longer.
func (e *entry) work() int {
	if e.mover == 0 {
		return 0
	}
	return 1 + maxCells - bits.OnesCount64(e.stones())
}

// transpositionTable holds what is known of positions. Its entries stand in pairs: when a pair is full, a new position takes
// the place of the one with more stones.
type transpositionTable struct {
	entries []entry // a power of two, at least 2
	images  []image // the symmetries of the board, without the identity
}

func newTranspositionTable(entries int, symmetries []game.Symmetry) *transpositionTable {
	t := &transpositionTable{entries: make([]entry, 1<<(bits.Len(uint(entries))-1))}
	for _, symmetry := range symmetries[1:] {
		t.images = append(t.images, newImage(symmetry))
	}
	return t
}

// look returns the distance as Solver.attack does, if the table knows it well enough for n.
func (t *transpositionTable) look(p position, m mover, n int) (distance int, known bool) {
	p = t.canonical(p)
	e := t.find(p, m)
	switch {
	case !e.holds(p, m):
		return 0, false
	case int(e.atLeast) > n:
		return int(e.atLeast), true
	case int(e.atMost) <= n:
		return int(e.atMost), true
	}
	return 0, false
}

// store keeps what a search within n plies has found.
func (t *transpositionTable) store(p position, m mover, n, distance int) {
	p = t.canonical(p)
	e := t.find(p, m)
	if !e.holds(p, m) {
		*e = entry{position: p, mover: m, atMost: never}
	}
	if distance <= n {
		e.atMost = int16(distance)
	} else {
		e.atLeast = int16(distance)
	}
}

// find returns the entry of a canonical position or, if there is none, the one that it may take.
func (t *transpositionTable) find(p position, m mover) *entry {
	i := p.hash(m) & uint64(len(t.entries)-2)
	first, second := &t.entries[i], &t.entries[i+1]
	if first.holds(p, m) || !second.holds(p, m) && first.work() < second.work() {
		return first
	}
	return second
}

func (p position) hash(m mover) uint64 {
	return random.Mix(random.Mix(p.attacker) ^ bits.RotateLeft64(p.defender, 32) ^ uint64(m))
}

package mnk

import (
	"math/bits"

	"tengen/game"
	"tengen/internal/random"
)

type mover uint8

const (
	attacking mover = iota + 1
	defending
)

type entry struct {
	position
	mover           mover
	atLeast, atMost int16 // bounds of the distance, see Solver.attack
}

func (e *entry) holds(p position, m mover) bool { return e.mover == m && e.position == p }

// work grows with the time that a position's result took.
func (e *entry) work() int {
	if e.mover == 0 {
		return 0
	}
	return 1 + maxCells - bits.OnesCount64(e.stones())
}

// transpositionTable holds entries in pairs. A new position replaces the one with more stones in a full pair.
type transpositionTable struct {
	entries []entry // a power of two, at least 2
	images  []image // the board's symmetries, without the identity
}

func newTranspositionTable(entries int, symmetries []game.Symmetry) *transpositionTable {
	t := &transpositionTable{entries: make([]entry, 1<<(bits.Len(uint(entries))-1))}
	for _, symmetry := range symmetries[1:] {
		t.images = append(t.images, newImage(symmetry))
	}
	return t
}

// look returns what Solver.attack or Solver.defend returns for n, if the table knows enough.
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

// store records the distance that Solver.attack or Solver.defend returns for n.
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

// find returns a canonical position's entry or, if there is none, the one to replace.
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

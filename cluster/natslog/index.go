package natslog

import (
	"fmt"
	"math"
	"sync"

	"tengen/replay"
)

// index remembers what a Log has read: the positions of each entry, and under which sequence number each game first came. It takes
// some ten bytes a game, because the numbers of a worker's games follow one another.
//
//	Invariant: it knows the sequence numbers first to next()-1, all of them.
type index struct {
	mu        sync.Mutex
	first     uint64   // sequence number of positions[0]
	positions []uint16 // a longer game counts as this many
	players   map[player]numbers
}

// A player numbers its games. Two games of one player with the same number are the same game sent twice.
type player struct {
	worker string
	seed   uint64
}

// numbers are the sequence numbers of a player's games, by their numbers divided by the size of a run.
type numbers map[uint64]*numberRun

// numberRun has the sequence numbers of games whose numbers follow one another, 0 for those that are not known.
type numberRun [64]uint64

func newIndex(first uint64) *index { return &index{first: first, players: map[player]numbers{}} }

// next is the first sequence number that the index does not know.
func (x *index) next() uint64 {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.first + uint64(len(x.positions))
}

// add returns the entry, with replay.ErrDuplicate in the place of its game if that has a lower sequence number as well. It
// takes in the entry if that is the next one.
func (x *index) add(e replay.Entry) replay.Entry {
	x.mu.Lock()
	defer x.mu.Unlock()
	if e.Game != nil {
		place := x.place(player{e.Worker, e.Game.Seed}, e.Game.Number)
		if earlier := *place; earlier != 0 && earlier < e.Sequence {
			e.Err = fmt.Errorf("sequence number %d: game %d of worker %q: %w, as %d",
				e.Sequence, e.Game.Number, e.Worker, replay.ErrDuplicate, earlier)
			e.Game = nil
		} else {
			*place = e.Sequence
		}
	}
	if e.Sequence == x.first+uint64(len(x.positions)) {
		positions := 0
		if e.Game != nil {
			positions = e.Game.Positions()
		}
		x.positions = append(x.positions, uint16(min(positions, math.MaxUint16)))
	}
	return e
}

// place is where the sequence number of a player's game stands.
func (x *index) place(p player, number uint64) *uint64 {
	runs := x.players[p]
	if runs == nil {
		runs = numbers{}
		x.players[p] = runs
	}
	size := uint64(len(numberRun{}))
	run := runs[number/size]
	if run == nil {
		run = new(numberRun)
		runs[number/size] = run
	}
	return &run[number%size]
}

// trim forgets everything before first.
func (x *index) trim(first uint64) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if first <= x.first {
		return
	}
	x.positions = x.positions[min(first-x.first, uint64(len(x.positions))):]
	x.first = first
	for p, runs := range x.players {
		for i, run := range runs {
			if !run.trim(first) {
				delete(runs, i)
			}
		}
		if len(runs) == 0 {
			delete(x.players, p)
		}
	}
}

// trim forgets what is before first, and reports whether anything is left.
func (r *numberRun) trim(first uint64) (left bool) {
	for i, sequence := range r {
		if sequence < first {
			r[i] = 0
		} else {
			left = true
		}
	}
	return left
}

// cut returns the sequence number of the first entry to keep so that those kept which count have at least this many
// positions, and whether there are others before it.
func (x *index) cut(positions int, counts func(sequence uint64) bool) (first uint64, old bool) {
	x.mu.Lock()
	defer x.mu.Unlock()
	size := func(i int) int {
		if !counts(x.first + uint64(i)) {
			return 0
		}
		return int(x.positions[i])
	}
	total := 0
	for i := range x.positions {
		total += size(i)
	}
	first = x.first
	for i := range x.positions {
		if total-size(i) < positions {
			break
		}
		total -= size(i)
		first++
	}
	return first, first > x.first
}

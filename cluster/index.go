package cluster

import (
	"fmt"
	"sync"

	"tengen/replay"
)

// index remembers what a Log has read: the positions of each entry, and where each game first came. It grows from the
// oldest entry on, without gaps.
type index struct {
	mu        sync.Mutex
	first     uint64 // sequence number of positions[0]
	positions []int
	seen      map[gameID]uint64
}

// gameID tells games apart: two with the same one are the same game sent twice.
type gameID struct {
	worker       string
	seed, number uint64
}

// next is the first sequence number that the index does not know.
func (x *index) next() uint64 {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.first + uint64(len(x.positions))
}

// oldest is the first sequence number that the index has not forgotten.
func (x *index) oldest() uint64 {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.first
}

// add takes in an entry, if the index knows all that come before it, and returns it. A game that came before is not in
// the entry any more.
func (x *index) add(e replay.Entry) replay.Entry {
	x.mu.Lock()
	defer x.mu.Unlock()
	if e.Game != nil {
		id := gameID{e.Worker, e.Game.Seed, e.Game.Number}
		if earlier, known := x.seen[id]; known && earlier < e.Sequence {
			e.Err = fmt.Errorf("sequence number %d: game %d of worker %q: %w, as %d",
				e.Sequence, id.number, id.worker, replay.ErrDuplicate, earlier)
			e.Game = nil
		} else {
			x.seen[id] = e.Sequence
		}
	}
	if e.Sequence == x.first+uint64(len(x.positions)) {
		positions := 0
		if e.Game != nil {
			positions = e.Game.Positions()
		}
		x.positions = append(x.positions, positions)
	}
	return e
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
	for id, sequence := range x.seen {
		if sequence < first {
			delete(x.seen, id)
		}
	}
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
		return x.positions[i]
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

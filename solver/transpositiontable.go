package solver

import (
	"math/bits"

	"tengen/game"
	"tengen/internal/random"
)

// transpositionTable holds searched positions in buckets of two entries: the deepest search and the latest (TwoDeep in
// Breuker, "Memory versus Search in Games", 1998). It stores whole keys, so a position never gets another's value.
type transpositionTable struct {
	buckets    [][2]entry
	generation uint32 // of valid entries
}

// entry is the result for one position, 32 bytes.
type entry struct {
	key        game.Key
	value      Value // for the side to move
	generation uint32
	depth      int16 // searched
	move       int16 // the best in the key's image, or game.None
	bound      bound
}

// bound relates an entry's value to the position's.
type bound uint8

const (
	exact bound = iota
	lower       // at least this
	upper       // at most this
)

// newTranspositionTable returns a table of at least that many entries.
func newTranspositionTable(entries int) *transpositionTable {
	return &transpositionTable{buckets: make([][2]entry, (entries+1)/2), generation: 1}
}

func (t *transpositionTable) forget() {
	if t.generation++; t.generation == 0 {
		clear(t.buckets)
		t.generation = 1
	}
}

// bucket spreads keys, perhaps bare bitboards, by the high bits of a product.
func (t *transpositionTable) bucket(key game.Key) *[2]entry {
	hash := random.Mix(key[0] ^ random.Mix(key[1]))
	i, _ := bits.Mul64(hash, uint64(len(t.buckets)))
	return &t.buckets[i]
}

// get returns a position's entry, valid until the next put, or nil.
func (t *transpositionTable) get(key game.Key) *entry {
	bucket := t.bucket(key)
	for i := range bucket {
		if e := &bucket[i]; e.generation == t.generation && e.key == key {
			return e
		}
	}
	return nil
}

func (t *transpositionTable) put(e entry) {
	e.generation = t.generation
	bucket := t.bucket(e.key)
	deep := &bucket[0]
	if deep.generation != t.generation || deep.key == e.key || e.depth >= deep.depth {
		if deep.generation == t.generation && deep.key != e.key {
			bucket[1] = *deep
		}
		*deep = e
		return
	}
	bucket[1] = e
}

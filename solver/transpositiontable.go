package solver

import (
	"math/bits"

	"tengen/game"
	"tengen/internal/random"
)

// transpositionTable holds positions already searched. Its size is fixed: positions compete for the two entries of
// the bucket that their key falls into. The first keeps what took the deepest search, the second what came last
// (Breuker, "Memory versus Search in Games", 1998, calls the scheme TwoDeep). Keys are stored whole, so a position never
// gets another's value.
type transpositionTable struct {
	buckets    [][2]entry
	generation uint32 // entries of other generations count as empty
}

// entry is what a search found out about a position: 32 bytes.
type entry struct {
	key        game.Key
	value      Value // for the side to move
	generation uint32
	depth      int16 // plies that were searched below the position
	move       int16 // the best move, as played in the image that has the key; game.None when none is known
	bound      bound
}

// bound says how an entry's value relates to the position's.
type bound uint8

const (
	exact bound = iota
	lower       // the position is worth the value or more
	upper       // the position is worth the value or less
)

// newTranspositionTable returns a table of at least that many entries, nil when the configuration wants none.
func newTranspositionTable(c Config) *transpositionTable {
	if !c.Transpositions {
		return nil
	}
	return &transpositionTable{buckets: make([][2]entry, (c.TableEntries+1)/2), generation: 1}
}

// forget empties the table.
func (t *transpositionTable) forget() {
	if t == nil {
		return
	}
	if t.generation++; t.generation == 0 {
		clear(t.buckets)
		t.generation = 1
	}
}

// bucket spreads keys, which may be bare bitboards, over the buckets by the high bits of a product.
func (t *transpositionTable) bucket(key game.Key) *[2]entry {
	hash := random.Mix(key[0] ^ random.Mix(key[1]))
	i, _ := bits.Mul64(hash, uint64(len(t.buckets)))
	return &t.buckets[i]
}

// get returns the entry of a position, nil when there is none. It is valid until the next put.
func (t *transpositionTable) get(key game.Key) *entry {
	bucket := t.bucket(key)
	for i := range bucket {
		if e := &bucket[i]; e.generation == t.generation && e.key == key {
			return e
		}
	}
	return nil
}

// put stores an entry, whose generation it sets.
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

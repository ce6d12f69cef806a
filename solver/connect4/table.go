package connect4

import "sync/atomic"

// transpositionTable holds bounds of scores. New entries replace old ones. Each entry is one word, so goroutines can
// share the table without locks:
//
//	bits  0-46  the low bits of the hash
//	bits 47-52  the lower bound, plus 32
//	bits 53-58  the upper bound, plus 32; an entry of zeros is empty
//
// Hashing is one-to-one. The index is a hash's high bits, at least 17, so index and entry identify the position.
type transpositionTable struct {
	entries []atomic.Uint64 // a power of two
	shift   uint8           // from a hash to its index
}

const (
	checkBits   = 47
	boundBits   = 6
	boundOffset = 1 << (boundBits - 1)
)

func newTranspositionTable(megabytes int) transpositionTable {
	shift := uint8(checkBits)
	for 2<<(64-shift) <= megabytes<<20/8 {
		shift--
	}
	return transpositionTable{make([]atomic.Uint64, 1<<(64-shift)), shift}
}

// hash multiplies by 2^64 over the golden ratio (Knuth, The Art of Computer Programming, section 6.4).
func hash(key uint64) uint64 { return key * 0x9e3779b97f4a7c15 }

// get returns the bounds of a position by its hash.
func (t *transpositionTable) get(hash uint64) (lower, upper int, ok bool) {
	entry := t.entries[hash>>(t.shift&63)].Load()
	if (entry^hash)<<(64-checkBits) != 0 || entry>>checkBits == 0 {
		return 0, 0, false
	}
	const mask = 1<<boundBits - 1
	return int(entry>>checkBits&mask) - boundOffset, int(entry>>(checkBits+boundBits)) - boundOffset, true
}

// put replaces the entry at the hash's index. Bounds are between -32 and 31.
func (t *transpositionTable) put(hash uint64, lower, upper int) {
	bounds := uint64(lower+boundOffset) | uint64(upper+boundOffset)<<boundBits
	t.entries[hash>>(t.shift&63)].Store(hash&(1<<checkBits-1) | bounds<<checkBits)
}

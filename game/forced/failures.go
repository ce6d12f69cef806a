package forced

import "tengen/internal/random"

// failures remembers positions from which a side has no winning chain, because the same threats in another order lead
// to the same position. A new one takes the place of an old one. If two positions share a key, one in 2^64, a win may
// be missed; none is made up.
type failures struct {
	entries []uint64
	size    int    // of the search under way: a power of two, so that what it finds depends on its limit alone
	epoch   uint64 // tells entries of this search from those before
}

// begin forgets everything and makes room for a search of that many nodes.
func (f *failures) begin(nodes int) {
	f.epoch++
	f.size = 64
	for f.size < 2*nodes && f.size < 1<<16 {
		f.size *= 2
	}
	if len(f.entries) < f.size {
		f.entries = make([]uint64, f.size)
	}
}

func (f *failures) has(key uint64, side int) bool {
	place, entry := f.entry(key, side)
	return f.entries[place] == entry
}

func (f *failures) add(key uint64, side int) {
	place, entry := f.entry(key, side)
	f.entries[place] = entry
}

// entry is what stands for a position, and where.
func (f *failures) entry(key uint64, side int) (place int, entry uint64) {
	key = random.Mix(key + uint64(side))
	return int(key) & (f.size - 1), key ^ random.Mix(f.epoch)
}

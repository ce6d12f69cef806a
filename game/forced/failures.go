package forced

import "tengen/internal/random"

// failures is a table of positions from which a side has no winning chain. New entries overwrite old ones. If two
// positions share a key, one in 2^64, a win may be missed; none is invented.
type failures struct {
	entries []uint64
	size    int    // a power of two that depends on the node limit alone
	epoch   uint64 // marks the entries of this search
}

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

func (f *failures) entry(key uint64, side int) (place int, entry uint64) {
	key = random.Mix(key + uint64(side))
	return int(key) & (f.size - 1), key ^ random.Mix(f.epoch)
}

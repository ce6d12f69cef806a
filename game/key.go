package game

import "tengen/internal/random"

// Absorb returns a key that also depends on word: a hash, whose two lanes mix differently. k must be a hash too, or a
// constant: if k held cells as they are, a word could undo another cell.
func (k Key) Absorb(word uint64) Key {
	return Key{random.Mix(k[0] ^ word), random.Mix(k[1] + word)}
}

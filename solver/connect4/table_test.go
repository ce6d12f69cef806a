package connect4

import (
	"testing"

	"tengen/internal/random"
)

// TestTable compares with a map: an entry may be gone, but never wrong.
func TestTable(t *testing.T) {
	table := newTranspositionTable(1)
	if len(table.entries) != 1<<17 {
		t.Errorf("a megabyte holds %d entries; want %d", len(table.entries), 1<<17)
	}
	rng := random.New(3, random.Test)
	want := map[uint64][2]int{}
	kept := 0
	for range 1 << 18 {
		key := rng.Uint64N(1 << 18)
		lower, upper, ok := table.get(hash(key))
		if bounds, known := want[key]; ok && (!known || bounds != [2]int{lower, upper}) {
			t.Fatalf("key %d has bounds %d, %d; want %v, %t", key, lower, upper, bounds, known)
		}
		if ok {
			kept++
		}
		want[key] = [2]int{rng.IntN(64) - 32, rng.IntN(64) - 32}
		table.put(hash(key), want[key][0], want[key][1])
	}
	if kept < 1<<16 {
		t.Errorf("%d entries were found again; want at least %d", kept, 1<<16)
	}
}

package random

import "testing"

func draws(seed uint64, labels ...uint64) [4]uint64 {
	rng := New(seed, labels...)
	return [4]uint64{rng.Uint64(), rng.Uint64(), rng.Uint64(), rng.Uint64()}
}

// The same seed and labels repeat a sequence; any change, also of the order or the number of labels, gives another.
func TestNew(t *testing.T) {
	cases := [][]uint64{{0}, {1}, {2}, {0, 0}, {0, 1}, {1, 0}, {0, 0, 0}, {1, 2}, {2, 1}, {1, 2, 3}, {1, 3, 2}, {1, 2, 3, 0}}
	seen := map[[4]uint64][]uint64{}
	for _, c := range cases {
		d := draws(c[0], c[1:]...)
		if d != draws(c[0], c[1:]...) {
			t.Errorf("%v does not repeat itself", c)
		}
		if other, ok := seen[d]; ok {
			t.Errorf("%v and %v draw the same", c, other)
		}
		seen[d] = c
	}
}

// Neighbouring labels, such as the numbers of games, give unrelated bits: about half of them differ.
func TestNeighboursAreUnrelated(t *testing.T) {
	different := 0
	for game := range uint64(1000) {
		for x := New(1, game).Uint64() ^ New(1, game+1).Uint64(); x != 0; x &= x - 1 {
			different++
		}
	}
	if mean := float64(different) / 1000; mean < 31 || mean > 33 {
		t.Errorf("%.2f of 64 bits differ on average, want about 32", mean)
	}
}

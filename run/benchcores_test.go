package run

import (
	"math"
	"testing"
)

func TestSerialShare(t *testing.T) {
	for _, c := range []struct {
		cores         int
		speedup, want float64
	}{
		{1, 1, 0}, {2, 2, 0}, {2, 1, 1}, {16, 6.4, 0.1}, {2, 2.1, 0}, {2, 0.9, 1},
	} {
		if got := serialShare(c.cores, c.speedup); math.Abs(got-c.want) > 1e-9 {
			t.Errorf("%d cores, %v times as fast: serial share %v, want %v", c.cores, c.speedup, got, c.want)
		}
	}
}

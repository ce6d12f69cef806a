package kernel_test

import (
	"fmt"
	"testing"

	"tengen/internal/kernel"
)

// TestRowKeepsItsBits multiplies up to 40 rows together and compares each with its product alone.
func TestRowKeepsItsBits(t *testing.T) {
	const most, k = 40, 37
	eachSet(t, func(t *testing.T) {
		for _, n := range []int{16, 23, 48, 64, 70, 80} {
			rng := newRand(3)
			a, b := randoms(rng, most*k), randoms(rng, k*n)
			alone := make([]float32, most*n)
			for i := range most {
				kernel.Multiply(1, n, k, a[i*k:], k, 1, b, n, alone[i*n:], n)
			}
			together := make([]float32, most*n)
			for m := 1; m <= most; m++ {
				first := rng.IntN(most - m + 1)
				kernel.Multiply(m, n, k, a[first*k:], k, 1, b, n, together, n)
				sameBits(t, fmt.Sprintf("%d rows of %d columns from row %d", m, n, first), together[:m*n], alone[first*n:][:m*n])
			}
		}
	})
}

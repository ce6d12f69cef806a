package kernel_test

import (
	"fmt"
	"testing"

	"tengen/internal/kernel"
)

// TestSumRowsAddsInOrder compares with the plain loop bit for bit: a factor of 1 rounds nothing.
func TestSumRowsAddsInOrder(t *testing.T) {
	eachSet(t, func(t *testing.T) {
		rng := newRand(20)
		for n := 1; n <= 70; n++ {
			for _, m := range []int{0, 1, 2, 13, 100 + n} {
				var mem memory
				x, sums := fill(rng, mem.floats(m*n, rng.IntN(16))), mem.floats(n, rng.IntN(16))
				kernel.SumRows(m, n, x, sums)
				want := make([]float32, n)
				for i := range m {
					for j := range n {
						want[j] += x[i*n+j]
					}
				}
				sameBits(t, fmt.Sprintf("%d rows of %d", m, n), sums, want)
				mem.check(t)
			}
		}
	})
}

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
				kernel.Set{}.SumRows(m, n, x, sums)
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

func TestSumRowsPassesSpecialNumbers(t *testing.T) {
	eachSet(t, func(t *testing.T) {
		const m, n = 5, 35
		for j := range n {
			x, sums := make([]float32, m*n), make([]float32, n)
			x[j], x[2*n+(j+1)%n], x[3*n+(j+2)%n] = nan, inf, -inf
			kernel.Set{}.SumRows(m, n, x, sums)
			if !isNaN(sums[j]) || sums[(j+1)%n] != inf || sums[(j+2)%n] != -inf {
				t.Errorf("sums around column %d: %v", j, sums)
			}
			if rest := sums[(j+3)%n]; rest != 0 {
				t.Errorf("NaN in column %d changed the sum of another to %v", j, rest)
			}
		}
	})
}

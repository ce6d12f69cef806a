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

// TestProductAtEveryAlignment moves a, b and c each through the 16 places in a line of the cache.
func TestProductAtEveryAlignment(t *testing.T) {
	eachSet(t, func(t *testing.T) {
		rng := newRand(5)
		for _, p := range []product{
			{m: 13, n: 35, k: 19, rowA: 19, colA: 1, ldb: 35, ldc: 40},
			{m: 7, n: 64, k: 18, rowA: 1, colA: 7, ldb: 64, ldc: 64},
		} {
			a, b := randoms(rng, p.lenA()), randoms(rng, p.lenB())
			want := (&memory{}).floats(p.lenC(), 0)
			kernel.Multiply(p.m, p.n, p.k, a, p.rowA, p.colA, b, p.ldb, want, p.ldc)
			for operand := range 3 {
				for offset := range 16 {
					var mem memory
					var offsets [3]int
					offsets[operand] = offset
					c := mem.floats(p.lenC(), offsets[2])
					kernel.Multiply(p.m, p.n, p.k, mem.copyOf(a, offsets[0]), p.rowA, p.colA, mem.copyOf(b, offsets[1]), p.ldb, c, p.ldc)
					sameBits(t, fmt.Sprintf("%v, offsets of a, b and c %v", p, offsets), c, want)
					mem.check(t)
				}
			}
		}
	})
}

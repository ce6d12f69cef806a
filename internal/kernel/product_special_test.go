package kernel_test

import (
	"fmt"
	"testing"

	"tengen/internal/kernel"
)

// TestMultiplyPassesSpecialNumbers puts NaN and infinities into single elements of the operands: they reach the row or
// column that they belong to, through factors of 0 as well, and nothing else.
func TestMultiplyPassesSpecialNumbers(t *testing.T) {
	const m, n, k = 26, 53, 11
	eachSet(t, func(t *testing.T) {
		rng := newRand(6)
		for _, special := range []float32{nan, inf, -inf} {
			for range 15 {
				a, b := randoms(rng, m*k), randoms(rng, k*n)
				i, j, p := rng.IntN(m), rng.IntN(n), rng.IntN(k)
				inA := rng.IntN(2) == 0
				if inA {
					a[i*k+p] = special
					b[p*n+j] = 0
				} else {
					b[p*n+j] = special
					a[i*k+p] = 0
				}
				c := make([]float32, m*n)
				kernel.Multiply(m, n, k, a, k, 1, b, n, c, n)
				for row := range m {
					for column := range n {
						got, other := c[row*n+column], b[p*n+column]
						affected := row == i
						if !inA {
							affected, other = column == j, a[row*k+p]
						}
						where := fmt.Sprintf("%v in a %v, at %d %d %d: c[%d, %d]", special, inA, i, j, p, row, column)
						checkSpecial(t, where, got, affected, special*other)
					}
				}
			}
		}
	})
}

// checkSpecial compares an element with the one special term of its sum.
func checkSpecial(t *testing.T, where string, got float32, affected bool, term float32) {
	t.Helper()
	switch {
	case !affected && !finite(got):
		t.Errorf("%s = %v, want a number", where, got)
	case affected && isNaN(term) && !isNaN(got):
		t.Errorf("%s = %v, want NaN", where, got)
	case affected && !isNaN(term) && got != term:
		t.Errorf("%s = %v, want %v", where, got, term)
	}
}

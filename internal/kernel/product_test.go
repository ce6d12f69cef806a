package kernel_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"tengen/internal/fulltest"
	"tengen/internal/kernel"
)

// product is one call of Multiply: its sizes and strides.
type product struct {
	m, n, k, rowA, colA, ldb, ldc int
}

func (p product) String() string {
	return fmt.Sprintf("%dx%dx%d with strides a %d %d, b %d, c %d", p.m, p.n, p.k, p.rowA, p.colA, p.ldb, p.ldc)
}

// The lengths of the operands, to the last element that the product reads.
func (p product) lenA() int { return reach(p.m, p.rowA, p.k, p.colA) }
func (p product) lenB() int { return reach(p.k, p.ldb, p.n, 1) }
func (p product) lenC() int { return reach(p.m, p.ldc, p.n, 1) }

func reach(rows, row, columns, column int) int {
	if rows == 0 || columns == 0 {
		return 0
	}
	return (rows-1)*row + (columns-1)*column + 1
}

// operands returns a and b between guard words, with sentinels in their gaps and the rest set by fillExact.
func (p product) operands(rng *rand.Rand, mem *memory) (a, b []float32) {
	a, b = mem.floats(p.lenA(), rng.IntN(16)), mem.floats(p.lenB(), rng.IntN(16))
	for i := range p.m {
		for q := range p.k {
			fillExact(rng, a[i*p.rowA+q*p.colA:][:1])
		}
	}
	for q := range p.k {
		fillExact(rng, b[q*p.ldb:][:p.n])
	}
	return a, b
}

// products lists products with every m up to 30, every n up to 70 and every k up to 70, and every kind of strides.
func products(rng *rand.Rand) []product {
	var list []product
	add := func(m, n, k int) {
		p := product{m: m, n: n, k: k, rowA: k, colA: 1, ldb: n, ldc: n}
		switch rng.IntN(8) {
		case 0, 1:
			p.rowA, p.colA = 1, m+rng.IntN(3)
		case 2:
			p.rowA = 0
		case 3:
			p.rowA, p.colA = 1, 0
		case 4:
			p.rowA, p.colA = 0, 0
		case 5:
			p.rowA += rng.IntN(20)
		case 6:
			p.rowA, p.colA = 2*k+1, 2
		}
		if rng.IntN(2) == 0 {
			p.ldb += rng.IntN(20)
			p.ldc += rng.IntN(20)
		}
		if rng.IntN(20) == 0 {
			p.ldb = 0
		}
		list = append(list, p)
	}
	for m := 0; m <= 30; m++ {
		for n := 1; n <= 70; n++ {
			if (m+n)%fulltest.Pick(7, 1) == 0 {
				add(m, n, rng.IntN(71))
			}
		}
	}
	for k := 0; k <= 70; k++ {
		add(1+rng.IntN(30), 16*(1+rng.IntN(4)), k)
		add(1+rng.IntN(30), 1+rng.IntN(70), k)
	}
	return append(list, product{m: 64, n: 64, k: 300, rowA: 1, colA: 64, ldb: 64, ldc: 64},
		product{m: 200, n: 128, k: 9, rowA: 9, colA: 1, ldb: 128, ldc: 128})
}

// TestMultiplyAddsInOrder holds every instruction set to the loop in Multiply's comment, bit for bit.
func TestMultiplyAddsInOrder(t *testing.T) {
	eachSet(t, func(t *testing.T) {
		rng := newRand(2)
		for _, p := range products(rng) {
			var mem memory
			a, b := p.operands(rng, &mem)
			c, want := mem.floats(p.lenC(), rng.IntN(16)), mem.floats(p.lenC(), 0)
			for _, add := range []bool{false, true} {
				for i := range p.m {
					for j := range p.n {
						sum := float32(0)
						if add {
							sum = want[i*p.ldc+j]
						}
						for q := range p.k {
							sum += a[i*p.rowA+q*p.colA] * b[q*p.ldb+j]
						}
						want[i*p.ldc+j] = sum
					}
				}
				multiply := kernel.Multiply
				if add {
					multiply = kernel.MultiplyAdd
				}
				multiply(p.m, p.n, p.k, a, p.rowA, p.colA, b, p.ldb, c, p.ldc)
				sameBits(t, fmt.Sprintf("%v, add %v", p, add), c, want)
			}
			mem.check(t)
		}
	})
}

package kernel

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// The tests of exactness compare assembly, on whatever processor, with Go that emulates its operations to the bit. So
// AVX2, AVX-512 and NEON give the same bits.

// fused returns x*y + z, rounded once. The product is exact in float64, and the sum is rounded to odd there, which
// makes rounding it again harmless (Boldo, Melquiond 2008).
func fused(x, y, z float32) float32 {
	product := float64(x) * float64(y)
	sum := product + float64(z)
	rest := sum - product
	missing := (product - (sum - rest)) + (float64(z) - rest)
	bits := math.Float64bits(sum)
	if missing != 0 && bits&1 == 0 {
		if (missing > 0) == (sum > 0) {
			bits++
		} else {
			bits--
		}
	}
	return float32(math.Float64frombits(bits))
}

func TestFusedRoundsOnce(t *testing.T) {
	const small = 0x1p-24
	for _, c := range []struct{ x, y, z, want float32 }{
		{2, 3, 4, 10},
		{1 + 2*small, 1 + 2*small, -1 - 4*small, 4 * small * small},
		{small, 1, 1, 1},
		{small, 1 + 2*small, 1, 1 + 2*small},
		{small, 2*small - 1, 1, 1 - small},
		{-small, 1 + 2*small, -1, -1 - 2*small},
		{small * small, small, 1 + 2*small, 1 + 2*small},
		{small, 1, 1 + 2*small, 1 + 4*small},
		{small, 1 - small, 1 + 2*small, 1 + 2*small},
	} {
		if got := fused(c.x, c.y, c.z); got != c.want {
			t.Errorf("%v * %v + %v = %v, want %v", c.x, c.y, c.z, got, c.want)
		}
	}
}

// eachAssembly runs a test for every set but plain Go.
func eachAssembly(t *testing.T, test func(t *testing.T, v *vectors)) {
	t.Helper()
	for _, v := range available {
		if v != plain {
			t.Run(v.name, func(t *testing.T) { test(t, v) })
		}
	}
}

func draw(rng *rand.Rand, n int) []float32 {
	x := make([]float32, n)
	for i := range x {
		x[i] = float32(rng.NormFloat64() * math.Exp(rng.NormFloat64()))
	}
	return x
}

func mustEqual(t *testing.T, what string, got, want float32) {
	t.Helper()
	if math.Float32bits(got) != math.Float32bits(want) {
		t.Fatalf("%s: %v (%08x), want %v (%08x)", what, got, math.Float32bits(got), want, math.Float32bits(want))
	}
}

func TestProductIsExact(t *testing.T) {
	eachAssembly(t, func(t *testing.T, v *vectors) {
		rng := rand.New(rand.NewPCG(70, 0))
		for _, n := range []int{16, 32, 48} {
			for m := 1; m <= 27; m++ {
				k := 1 + rng.IntN(70)
				a, b, c, bias := draw(rng, m*k), draw(rng, k*n), draw(rng, m*n), draw(rng, n)
				for _, mode := range []mode{0, rectify, accumulate} {
					for _, bias := range [][]float32{nil, bias} {
						got := slices.Clone(c)
						v.gemm(m, n, k, a, k, 1, b, n, got, n, bias, mode)
						for at := range got {
							what := fmt.Sprintf("%dx%dx%d, mode %d, bias %t, element %d", m, n, k, mode, bias != nil, at)
							mustEqual(t, what, got[at], exactSum(at/n, at%n, n, k, a, b, c, bias, mode))
						}
					}
				}
			}
		}
	})
}

// exactSum returns element i, j of gemm's result.
func exactSum(i, j, n, k int, a, b, c, bias []float32, mode mode) float32 {
	sum := float32(0)
	switch {
	case mode&accumulate != 0:
		sum = c[i*n+j]
	case bias != nil:
		sum = bias[j]
	}
	for p := range k {
		sum = fused(a[i*k+p], b[p*n+j], sum)
	}
	if mode&rectify != 0 {
		sum = positive(sum)
	}
	return sum
}

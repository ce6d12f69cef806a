package kernel_test

import (
	"math"
	"math/rand/v2"
	"testing"
	"unsafe"
)

// sentinel is a quiet NaN with bits that no arithmetic produces. A kernel that reads it shows it in its
// result; a kernel that overwrites it changes its bits.
const sentinel = 0x7fdec0de

// guard is the number of sentinels on each side of a slice.
const guard = 64

// memory hands out slices between guard words. The zero value is ready.
type memory struct{ blocks [][]float32 }

// floats returns n sentinels that start offset floats behind a multiple of 64 bytes, with no capacity behind them.
func (m *memory) floats(n, offset int) []float32 {
	block := make([]float32, guard+16+n+guard)
	misplaced := int(uintptr(unsafe.Pointer(&block[0])) / 4 % 16)
	block = block[(16-misplaced)%16+offset:][:guard+n+guard]
	for i := range block {
		block[i] = math.Float32frombits(sentinel)
	}
	m.blocks = append(m.blocks, block)
	return block[guard : guard+n : guard+n]
}

// copyOf returns a copy of s between guard words.
func (m *memory) copyOf(s []float32, offset int) []float32 {
	c := m.floats(len(s), offset)
	copy(c, s)
	return c
}

// check reports guard words that were overwritten.
func (m *memory) check(t *testing.T) {
	t.Helper()
	for number, block := range m.blocks {
		for i := range guard {
			if !untouched(block[i]) {
				t.Errorf("slice %d: wrote %v to the float %d before it", number, block[i], guard-i)
			}
			if behind := block[len(block)-guard+i]; !untouched(behind) {
				t.Errorf("slice %d: wrote %v to the float %d behind it", number, behind, i)
			}
		}
	}
}

func untouched(v float32) bool { return math.Float32bits(v) == sentinel }

// sameBits reports the first element where the bits of two slices differ.
func sameBits(t *testing.T, what string, got, want []float32) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%s: %d floats, want %d", what, len(got), len(want))
	}
	for i, v := range got {
		if math.Float32bits(v) != math.Float32bits(want[i]) {
			t.Errorf("%s: element %d of %d is %v (%#x), want %v (%#x)",
				what, i, len(got), v, math.Float32bits(v), want[i], math.Float32bits(want[i]))
			return
		}
	}
}

func newRand(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 0)) }

// fill sets every element to a number in [-1, 1).
func fill(rng *rand.Rand, s []float32) []float32 {
	for i := range s {
		s[i] = 2*rng.Float32() - 1
	}
	return s
}

func randoms(rng *rand.Rand, n int) []float32 { return fill(rng, make([]float32, n)) }

// fillExact sets every element to a number of at most 12 bits, so that the product of two of them is exact and an
// addition with and without fused multiplication gives the same bits. Their sizes differ so much that the order of
// additions shows.
func fillExact(rng *rand.Rand, s []float32) []float32 {
	for i := range s {
		s[i] = float32(math.Ldexp(float64(rng.IntN(8191)-4095), -rng.IntN(12)))
	}
	return s
}

var (
	nan = float32(math.NaN())
	inf = float32(math.Inf(1))
)

func isNaN(v float32) bool { return v != v }

func finite(v float32) bool { return v-v == 0 }

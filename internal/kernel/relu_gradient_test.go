package kernel_test

import (
	"fmt"
	"math"
	"testing"

	"tengen/internal/kernel"
)

// TestReLUGradientIsTheLoop covers every length up to 100 and every kind of number, in its own memory and in grad's.
func TestReLUGradientIsTheLoop(t *testing.T) {
	negativeZero := float32(math.Copysign(0, -1))
	special := []float32{0, negativeZero, nan, inf, -inf, math.SmallestNonzeroFloat32, -math.SmallestNonzeroFloat32, math.MaxFloat32}
	eachSet(t, func(t *testing.T) {
		rng := newRand(30)
		for n := range 101 {
			for offset := range 16 {
				var mem memory
				y, grad := fill(rng, mem.floats(n, offset)), fill(rng, mem.floats(n, rng.IntN(16)))
				for i := range n {
					if rng.IntN(3) == 0 {
						y[i] = special[rng.IntN(len(special))]
					}
					if rng.IntN(3) == 0 {
						grad[i] = special[rng.IntN(len(special))]
					}
				}
				want := make([]float32, n)
				for i, g := range grad {
					if y[i] > 0 {
						want[i] = g
					}
				}
				dst := mem.floats(n, rng.IntN(16))
				kernel.ReLUGradient(dst, y, grad)
				sameBits(t, fmt.Sprintf("%d elements", n), dst, want)
				kernel.ReLUGradient(grad, y, grad)
				sameBits(t, fmt.Sprintf("%d elements in place", n), grad, want)
				mem.check(t)
			}
		}
	})
}

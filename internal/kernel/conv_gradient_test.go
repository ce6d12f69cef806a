package kernel_test

import (
	"fmt"
	"math"
	"testing"

	"tengen/internal/kernel"
)

// inputGradient computes the gradient with respect to x: a convolution from out to in channels with the flipped filter.
func (c *convolution) inputGradient(mem *memory, offset int) []float32 {
	plan := kernel.NewConv(c.height, c.width, c.out, c.in)
	filter, workspace := mem.floats(plan.FilterSize(), offset), mem.floats(plan.Workspace(), 3*offset%16)
	plan.TransformFlipped(filter, c.weight, workspace, 0, 1)
	dx := mem.floats(len(c.x), 5*offset%16)
	plan.InputGradient(dx, c.grad, filter, nil, nil, workspace)
	return dx
}

// weightGradient computes the gradient with respect to the weight.
func (c *convolution) weightGradient(mem *memory, offset int) []float32 {
	plan := kernel.NewConv(c.height, c.width, c.in, c.out)
	dweight := mem.floats(len(c.weight), offset)
	plan.WeightGradient(dweight, nil, mem.copyOf(c.x, 3*offset%16), mem.copyOf(c.grad, 5*offset%16), mem.floats(plan.Workspace(), 7*offset%16), 0, 1)
	return dweight
}

func TestInputGradientNearFloat64(t *testing.T) {
	testGradient(t, func(c *convolution, mem *memory, offset int) ([]float32, estimates) {
		return c.inputGradient(mem, offset), c.dx
	})
}

func TestWeightGradientNearFloat64(t *testing.T) {
	testGradient(t, func(c *convolution, mem *memory, offset int) ([]float32, estimates) {
		return c.weightGradient(mem, offset), c.dweight
	})
}

// TestBiasGradientNearFloat64 compares the sums over the batch that come with the weight's gradient, which stays the
// same.
func TestBiasGradientNearFloat64(t *testing.T) {
	eachSet(t, func(t *testing.T) {
		for number, c := range convolutions() {
			var mem memory
			plan := kernel.NewConv(c.height, c.width, c.in, c.out)
			dweight, dbias := mem.floats(len(c.weight), 0), mem.floats(c.out, number%16)
			plan.WeightGradient(dweight, dbias, c.x, c.grad, mem.floats(plan.Workspace(), 0), 0, 1)
			mem.check(t)
			sameBits(t, fmt.Sprintf("%v: dweight", c), dweight, c.weightGradient(&mem, 0))
			for o, got := range dbias {
				exact, size := 0.0, 0.0
				for i := o; i < len(c.grad); i += c.out {
					exact += float64(c.grad[i])
					size += math.Abs(float64(c.grad[i]))
				}
				if !(math.Abs(float64(got)-exact) <= winogradTolerance*size) {
					t.Fatalf("%v: dbias[%d] = %v, want %v", c, o, got, exact)
				}
			}
		}
	})
}

// TestInputGradientEnds: a residual is added, and what is not above 0 in the mask is 0, to the bits of doing so one
// after another. The mask has every kind of number.
func TestInputGradientEnds(t *testing.T) {
	special := []float32{0, float32(math.Copysign(0, -1)), nan, inf, -inf, math.SmallestNonzeroFloat32}
	eachSet(t, func(t *testing.T) {
		rng := newRand(43)
		for _, s := range [][5]int{{7, 6, 33, 16, 3}, {5, 9, 16, 24, 2}, {3, 3, 5, 7, 9}, {15, 15, 32, 17, 1}} {
			c := drawConvolution(rng, s[0], s[1], s[2], s[3], s[4])
			var mem memory
			plan := kernel.NewConv(c.height, c.width, c.out, c.in)
			filter, workspace := mem.floats(plan.FilterSize(), 0), mem.floats(plan.Workspace(), 0)
			plan.TransformFlipped(filter, c.weight, workspace, 0, 1)
			residual, mask := mem.copyOf(randoms(rng, len(c.x)), 1), mem.copyOf(randoms(rng, len(c.x)), 2)
			for i := range mask {
				if rng.IntN(4) == 0 {
					mask[i] = special[rng.IntN(len(special))]
				}
			}
			want, got := mem.floats(len(c.x), 3), mem.floats(len(c.x), 4)
			plan.Forward(want, c.grad, filter, nil, residual, false, workspace)
			plan.InputGradient(got, c.grad, filter, residual, nil, workspace)
			sameBits(t, fmt.Sprintf("%v: residual", c), got, want)
			kernel.ReLUGradient(want, mask, want)
			plan.InputGradient(got, c.grad, filter, residual, mask, workspace)
			sameBits(t, fmt.Sprintf("%v: residual and mask", c), got, want)
			plan.InputGradient(residual, c.grad, filter, residual, mask, workspace)
			sameBits(t, fmt.Sprintf("%v: in the residual's place", c), residual, want)
			mem.check(t)
		}
	})
}

func testGradient(t *testing.T, compute func(c *convolution, mem *memory, offset int) (got []float32, wanted estimates)) {
	eachSet(t, func(t *testing.T) {
		var worst float64
		for number, c := range convolutions() {
			var mem memory
			got, wanted := compute(c, &mem, number%16)
			ratio, at := wanted.worst(got)
			worst = max(worst, ratio)
			if !(ratio <= winogradTolerance) {
				t.Fatalf("%v: element %d = %v, want %v: an error of %.2g", c, at, got[at], wanted.exact[at], ratio)
			}
			mem.check(t)
		}
		t.Logf("largest error %.2g", worst)
	})
}

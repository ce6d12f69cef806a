package kernel_test

import (
	"fmt"
	"math"
	"testing"

	"tengen/internal/kernel"
)

// inputGradient computes the gradient with respect to x: a convolution from out to in channels with the flipped filter.
func (c *convolution) inputGradient(mem *memory, offset int) []float32 {
	plan := kernel.Set{}.NewConv(c.height, c.width, c.out, c.in)
	filter, workspace := mem.floats(plan.FilterSize(), offset), mem.floats(plan.Workspace(), 3*offset%16)
	plan.TransformFlipped(filter, c.weight, workspace)
	dx := mem.floats(len(c.x), 5*offset%16)
	plan.InputGradient(dx, c.grad, filter, nil, nil, workspace)
	return dx
}

// weightGradient computes the gradient with respect to the weight.
func (c *convolution) weightGradient(mem *memory, offset int) []float32 {
	plan := kernel.Set{}.NewConv(c.height, c.width, c.in, c.out)
	dweight := mem.floats(len(c.weight), offset)
	plan.WeightGradient(dweight, nil, mem.copyOf(c.x, 3*offset%16), mem.copyOf(c.grad, 5*offset%16), mem.floats(plan.Workspace(), 7*offset%16))
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
			plan := kernel.Set{}.NewConv(c.height, c.width, c.in, c.out)
			dweight, dbias := mem.floats(len(c.weight), 0), mem.floats(c.out, number%16)
			plan.WeightGradient(dweight, dbias, c.x, c.grad, mem.floats(plan.Workspace(), 0))
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
			plan := kernel.Set{}.NewConv(c.height, c.width, c.out, c.in)
			filter, workspace := mem.floats(plan.FilterSize(), 0), mem.floats(plan.Workspace(), 0)
			plan.TransformFlipped(filter, c.weight, workspace)
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

// TestGradientsAreDifferenceQuotients: the sum of y*grad is linear in x and in the weight, so its difference quotient
// with a step of 1 in one element is the gradient, but for rounding.
func TestGradientsAreDifferenceQuotients(t *testing.T) {
	eachSet(t, func(t *testing.T) {
		rng := newRand(41)
		c := newConvolution(rng, 5, 7, 17, 20, 2)
		var mem memory
		plan, filter, workspace := c.prepare(&mem, 0)
		y := make([]float32, len(c.grad))
		objective := func() float64 {
			plan.TransformFilter(filter, c.weight, workspace)
			plan.Forward(y, c.x, filter, c.bias, nil, false, workspace)
			return dot(y, c.grad)
		}
		check := func(name string, at int, operand, gradient []float32) {
			t.Helper()
			before := operand[at]
			operand[at] = before + 0.5
			above := objective()
			operand[at] = before - 0.5
			below := objective()
			operand[at] = before
			if difference := above - below - float64(gradient[at]); !(math.Abs(difference) <= 1e-3) {
				t.Errorf("%s[%d]: the gradient is %v, the difference quotient %v", name, at, gradient[at], above-below)
			}
		}
		dx, dweight := c.inputGradient(&mem, 0), c.weightGradient(&mem, 0)
		for range 40 {
			check("x", rng.IntN(len(c.x)), c.x, dx)
			check("weight", rng.IntN(len(c.weight)), c.weight, dweight)
		}
	})
}

// TestGradientsAreAdjoint: <conv(x), grad> = <x, dx> = <weight, dweight>.
func TestGradientsAreAdjoint(t *testing.T) {
	eachSet(t, func(t *testing.T) {
		for number, c := range convolutions() {
			var mem memory
			plan, filter, workspace := c.prepare(&mem, 0)
			y := mem.floats(len(c.grad), 0)
			plan.Forward(y, c.x, filter, nil, nil, false, workspace)
			forward := dot(y, c.grad)
			size := 0.0
			for i, s := range c.y.terms {
				size += s * math.Abs(float64(c.grad[i]))
			}
			for name, backward := range map[string]float64{
				"input":  dot(c.x, c.inputGradient(&mem, number%16)),
				"weight": dot(c.weight, c.weightGradient(&mem, number%16)),
			} {
				if difference := (forward - backward) / size; !(math.Abs(difference) <= winogradTolerance) {
					t.Errorf("%v: <y, grad> = %v, but the %s's gradient gives %v", c, forward, name, backward)
				}
			}
		}
	})
}

func dot(a, b []float32) float64 {
	sum := 0.0
	for i, v := range a {
		sum += float64(v) * float64(b[i])
	}
	return sum
}

// TestFlippedFilterIsTheTransposedOne compares TransformFlipped with TransformFilter of a weight turned by hand.
func TestFlippedFilterIsTheTransposedOne(t *testing.T) {
	eachSet(t, func(t *testing.T) {
		for _, size := range [][2]int{{1, 1}, {3, 17}, {16, 33}} {
			in, out := size[0], size[1]
			weight := randoms(newRand(42), out*in*9)
			turned := make([]float32, len(weight))
			for o := range out {
				for i := range in {
					for tap := range 9 {
						turned[(i*out+o)*9+8-tap] = weight[(o*in+i)*9+tap]
					}
				}
			}
			plan := kernel.Set{}.NewConv(3, 3, out, in)
			workspace := make([]float32, plan.Workspace())
			got, want := make([]float32, plan.FilterSize()), make([]float32, plan.FilterSize())
			plan.TransformFlipped(got, weight, workspace)
			plan.TransformFilter(want, turned, workspace)
			sameBits(t, fmt.Sprintf("%d to %d", in, out), got, want)
		}
	})
}

package kernel_test

import (
	"fmt"
	"math"
	"testing"
)

// winogradTolerance bounds an error relative to its size (see estimates). The largest over the cases of this package is
// 4e-6, over 12,000 random small shapes 6e-6, both in gradients of sums over one channel; the median shape has 2e-7.
const winogradTolerance = 1e-5

// epilogue is one way to finish a convolution.
type epilogue struct{ bias, residual, inPlace, relu bool }

func epilogues() []epilogue {
	var list []epilogue
	for _, bias := range []bool{false, true} {
		for _, relu := range []bool{false, true} {
			list = append(list, epilogue{bias, false, false, relu}, epilogue{bias, true, false, relu}, epilogue{bias, true, true, relu})
		}
	}
	return list
}

func TestConvNearFloat64(t *testing.T) {
	eachSet(t, func(t *testing.T) {
		var worst, worstOfTerms float64
		for number, c := range convolutions() {
			for choice, e := range epilogues() {
				if len(c.x)*c.out > 50_000 && choice%4 != number%4 {
					continue
				}
				var mem memory
				y, wanted := c.forward(&mem, e, (number+choice)%16), c.finished(e)
				mem.check(t)
				ratio, at := wanted.worst(y)
				worst = max(worst, ratio)
				if !(ratio <= winogradTolerance) {
					t.Fatalf("%v, %+v: y[%d] = %v, want %v: an error of %.2g", c, e, at, y[at], wanted.exact[at], ratio)
				}
				if e == (epilogue{}) && c.in >= 16 && c.height*c.width >= 16 {
					ratio, _ := estimates{exact: wanted.exact, size: c.y.terms}.worst(y)
					worstOfTerms = max(worstOfTerms, ratio)
				}
			}
		}
		t.Logf("largest error %.2g; relative to the sum of |x||w|, from 16 channels, %.2g", worst, worstOfTerms)
	})
}

// forward computes y with an epilogue.
func (c *convolution) forward(mem *memory, e epilogue, offset int) []float32 {
	plan, filter, workspace := c.prepare(mem, offset)
	y := mem.floats(len(c.grad), 5*offset%16)
	var bias, residual []float32
	if e.bias {
		bias = mem.copyOf(c.bias, 9*offset%16)
	}
	if e.residual {
		residual = mem.copyOf(c.residual, 11*offset%16)
	}
	if e.inPlace {
		y = residual
	}
	plan.Forward(y, mem.copyOf(c.x, 13*offset%16), filter, bias, residual, e.relu, workspace)
	return y
}

// finished returns the exact results with an epilogue.
func (c *convolution) finished(e epilogue) estimates {
	f := estimates{exact: append([]float64(nil), c.y.exact...), size: append([]float64(nil), c.y.size...)}
	add := func(i int, v float32) {
		f.exact[i] += float64(v)
		f.size[i] += math.Abs(float64(v))
	}
	for i := range f.exact {
		if e.bias {
			add(i, c.bias[i%c.out])
		}
		if e.residual {
			add(i, c.residual[i])
		}
		if e.relu {
			f.exact[i] = max(0, f.exact[i])
		}
	}
	return f
}

// TestConvKeepsItsFilterAndInput holds that operands are only read.
func TestConvKeepsItsFilterAndInput(t *testing.T) {
	eachSet(t, func(t *testing.T) {
		for _, c := range convolutions()[:12] {
			var mem memory
			plan, filter, workspace := c.prepare(&mem, 0)
			x, f, weight := mem.copyOf(c.x, 0), mem.copyOf(filter, 0), mem.copyOf(c.weight, 0)
			bias, residual, grad := mem.copyOf(c.bias, 0), mem.copyOf(c.residual, 0), mem.copyOf(c.grad, 0)
			plan.Forward(mem.floats(len(c.grad), 0), x, f, bias, residual, true, workspace)
			plan.WeightGradient(mem.floats(len(c.weight), 0), nil, x, grad, workspace, 0, 1)
			plan.TransformFilter(filter, weight, workspace, 0, 1)
			for _, operand := range []struct {
				name      string
				got, want []float32
			}{
				{"x", x, c.x}, {"filter", f, filter}, {"weight", weight, c.weight}, {"bias", bias, c.bias},
				{"residual", residual, c.residual}, {"grad", grad, c.grad},
			} {
				sameBits(t, fmt.Sprintf("%v: %s", c, operand.name), operand.got, operand.want)
			}
		}
	})
}

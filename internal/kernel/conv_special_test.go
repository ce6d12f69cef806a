package kernel_test

import (
	"fmt"
	"testing"

	"tengen/internal/fulltest"
	"tengen/internal/kernel"
)

// TestBadImageStaysAlone puts NaN or an infinity into one image of a batch: every other image keeps its bits, and in
// its own image what depends on the element is no number.
func TestBadImageStaysAlone(t *testing.T) {
	eachSet(t, func(t *testing.T) {
		rng := newRand(60)
		for _, s := range [][5]int{{7, 6, 64, 64, 7}, {3, 3, 17, 5, 20}, {5, 9, 8, 33, 6}, {1, 1, 16, 16, 30}} {
			c := drawConvolution(rng, s[0], s[1], s[2], s[3], s[4])
			var mem memory
			plan, filter, workspace := c.prepare(&mem, 0)
			wanted, y := make([]float32, len(c.grad)), make([]float32, len(c.grad))
			plan.Forward(wanted, c.x, filter, nil, nil, false, workspace)
			imageIn, imageOut := len(c.x)/c.batch, len(c.grad)/c.batch
			for _, special := range []float32{nan, inf, -inf} {
				for b := 0; b < c.batch; b += fulltest.Pick(5, 1) {
					x := append([]float32(nil), c.x...)
					at := rng.IntN(imageIn)
					x[b*imageIn+at] = special
					plan.Forward(y, x, filter, nil, nil, false, workspace)
					where := fmt.Sprintf("%v: %v at %d of image %d", c, special, at, b)
					sameBits(t, where+": images before", y[:b*imageOut], wanted[:b*imageOut])
					sameBits(t, where+": images behind", y[(b+1)*imageOut:], wanted[(b+1)*imageOut:])
					c.mustBeBad(t, where, y[b*imageOut:][:imageOut], at/c.in)
				}
			}
		}
	})
}

// mustBeBad reports numbers in the 3x3 neighbourhood of a cell of an image.
func (c *convolution) mustBeBad(t *testing.T, where string, image []float32, cell int) {
	t.Helper()
	row, column := cell/c.width, cell%c.width
	for u := max(0, row-1); u <= min(c.height-1, row+1); u++ {
		for v := max(0, column-1); v <= min(c.width-1, column+1); v++ {
			for o, y := range image[(u*c.width+v)*c.out:][:c.out] {
				if finite(y) {
					t.Fatalf("%s: y[%d, %d, %d] = %v hides it", where, u, v, o, y)
				}
			}
		}
	}
}

// TestConvPassesNaN puts NaN into the weight, the bias and the residual. ReLU does not hide it.
func TestConvPassesNaN(t *testing.T) {
	eachSet(t, func(t *testing.T) {
		rng := newRand(61)
		for _, out := range []int{5, 16, 24, 35} {
			c := drawConvolution(rng, 5, 6, 17, out, 3)
			for _, relu := range []bool{false, true} {
				for _, operand := range []string{"weight", "bias", "residual"} {
					weight, bias := append([]float32(nil), c.weight...), append([]float32(nil), c.bias...)
					residual := append([]float32(nil), c.residual...)
					bad := map[string][]float32{"weight": weight, "bias": bias, "residual": residual}[operand]
					at := rng.IntN(len(bad))
					bad[at] = nan
					plan := kernel.NewConv(c.height, c.width, c.in, c.out)
					filter, workspace := make([]float32, plan.FilterSize()), make([]float32, plan.Workspace())
					y := make([]float32, len(c.grad))
					plan.TransformFilter(filter, weight, workspace, 0, 1)
					plan.Forward(y, c.x, filter, bias, residual, relu, workspace)
					reached := 0
					for i, v := range y {
						hit := map[string]bool{"weight": i%out == at/9/c.in, "bias": i%out == at, "residual": i == at}[operand]
						if isNaN(v) {
							reached++
						}
						if isNaN(v) && !hit || operand != "weight" && hit && !isNaN(v) {
							t.Fatalf("%v, relu %v: NaN in %s[%d], y[%d] = %v", c, relu, operand, at, i, v)
						}
					}
					if reached == 0 {
						t.Errorf("%v, relu %v: NaN in %s[%d] is lost", c, relu, operand, at)
					}
				}
			}
		}
	})
}

// TestWeightGradientPassesNaN puts NaN into the centre of x or grad: it reaches all nine taps of its channel, and none
// of another one.
func TestWeightGradientPassesNaN(t *testing.T) {
	eachSet(t, func(t *testing.T) {
		rng := newRand(62)
		c := drawConvolution(rng, 5, 7, 19, 21, 8)
		plan := kernel.NewConv(c.height, c.width, c.in, c.out)
		dweight, workspace := make([]float32, len(c.weight)), make([]float32, plan.Workspace())
		for range 20 {
			x, grad := append([]float32(nil), c.x...), append([]float32(nil), c.grad...)
			centre, i, o := rng.IntN(c.batch)*35+17, rng.IntN(c.in), rng.IntN(c.out)
			inX := rng.IntN(2) == 0
			if inX {
				x[centre*c.in+i] = nan
			} else {
				grad[centre*c.out+o] = nan
			}
			plan.WeightGradient(dweight, nil, x, grad, workspace, 0, 1)
			for at, v := range dweight {
				hit := at/9/c.in == o
				if inX {
					hit = at/9%c.in == i
				}
				if hit != isNaN(v) {
					t.Fatalf("NaN in x %v, channels %d and %d: dweight[%d] = %v", inX, i, o, at, v)
				}
			}
		}
	})
}

// TestReLUOfConvKeepsInfinity: a bias of +Inf passes a ReLU, one of -Inf becomes 0.
func TestReLUOfConvKeepsInfinity(t *testing.T) {
	eachSet(t, func(t *testing.T) {
		for _, out := range []int{3, 16, 24} {
			plan := kernel.NewConv(4, 4, 1, out)
			filter, workspace := make([]float32, plan.FilterSize()), make([]float32, plan.Workspace())
			bias, y := make([]float32, out), make([]float32, 16*out)
			for o := range bias {
				bias[o] = []float32{inf, -inf, 0}[o%3]
			}
			plan.Forward(y, make([]float32, 16), filter, bias, nil, true, workspace)
			for i, v := range y {
				if want := max(0, bias[i%out]); v != want {
					t.Errorf("%d channels: bias %v gave %v, want %v", out, bias[i%out], v, want)
				}
			}
		}
	})
}

package kernel_test

import (
	"fmt"
	"testing"

	"tengen/internal/fulltest"
	"tengen/internal/kernel"
	"tengen/internal/parallel"
)

// TestImageKeepsItsBits convolves every image alone and then at every place of every batch size up to 40. At every size
// the batch starts with another image, so that an image is seen at many places and in different company.
func TestImageKeepsItsBits(t *testing.T) {
	const most = 40
	eachSet(t, func(t *testing.T) {
		for _, s := range [][4]int{{7, 6, 16, 24}, {3, 5, 33, 17}, {8, 8, 5, 8}, {1, 1, 64, 64}} {
			rng := newRand(50)
			c := drawConvolution(rng, s[0], s[1], s[2], s[3], most)
			var mem memory
			plan, filter, workspace := c.prepare(&mem, 0)
			imageIn, imageOut := len(c.x)/most, len(c.grad)/most
			alone := make([]float32, len(c.grad))
			for b := range most {
				plan.Forward(alone[b*imageOut:][:imageOut], c.x[b*imageIn:][:imageIn], filter, c.bias, nil, true, workspace)
			}
			x, y := append(c.x, c.x...), make([]float32, most*imageOut)
			wanted := append(alone, alone...)
			for batch := 1; batch <= most; batch += fulltest.Pick(13, 1) {
				first := rng.IntN(most)
				plan.Forward(y[:batch*imageOut], x[first*imageIn:][:batch*imageIn], filter, c.bias, nil, true, workspace)
				sameBits(t, fmt.Sprintf("%v: a batch of %d from image %d", c, batch, first), y[:batch*imageOut], wanted[first*imageOut:][:batch*imageOut])
			}
		}
	})
}

// TestBiasOfEachImage gives each image of a batch a bias of its own: it has the bits that it has alone with that bias.
func TestBiasOfEachImage(t *testing.T) {
	const most = 17
	eachSet(t, func(t *testing.T) {
		for _, s := range [][4]int{{7, 6, 16, 24}, {15, 15, 5, 32}, {3, 5, 33, 17}, {20, 20, 40, 3}} {
			rng := newRand(52)
			c := drawConvolution(rng, s[0], s[1], s[2], s[3], most)
			biases := randoms(rng, most*c.out)
			var mem memory
			plan, filter, workspace := c.prepare(&mem, 0)
			imageIn, imageOut := len(c.x)/most, len(c.grad)/most
			y, alone := make([]float32, len(c.grad)), make([]float32, imageOut)
			for _, batch := range []int{1, 2, most} {
				plan.Forward(y[:batch*imageOut], c.x[:batch*imageIn], filter, biases[:batch*c.out], nil, true, workspace)
				for b := range batch {
					plan.Forward(alone, c.x[b*imageIn:][:imageIn], filter, biases[b*c.out:][:c.out], nil, true, workspace)
					sameBits(t, fmt.Sprintf("%v: image %d of %d", c, b, batch), y[b*imageOut:][:imageOut], alone)
				}
			}
		}
	})
}

// TestConvAtEveryAlignment moves all operands together and each one alone through the 16 places in a line of the cache.
func TestConvAtEveryAlignment(t *testing.T) {
	eachSet(t, func(t *testing.T) {
		for _, c := range []*convolution{drawConvolution(newRand(51), 5, 6, 17, 35, 2), drawConvolution(newRand(51), 4, 4, 64, 16, 1)} {
			wantY, wantDX, wantDWeight := c.runAt([8]int{})
			for moved := range 9 {
				for offset := 1; offset < 16; offset += fulltest.Pick(7, 1) {
					var offsets [8]int
					for operand := range offsets {
						if moved == operand || moved == len(offsets) {
							offsets[operand] = offset
						}
					}
					y, dx, dweight := c.runAt(offsets)
					where := fmt.Sprintf("%v, offsets of filter, workspace, x, y, bias, residual, weight and grad %v: ", c, offsets)
					sameBits(t, where+"y", y, wantY)
					sameBits(t, where+"dx", dx, wantDX)
					sameBits(t, where+"dweight", dweight, wantDWeight)
				}
			}
		}
	})
}

// runAt computes everything with filter, workspace, x, y, bias, residual, weight and grad at the given alignments.
func (c *convolution) runAt(offsets [8]int) (y, dx, dweight []float32) {
	var mem memory
	plan, back := kernel.NewConv(c.height, c.width, c.in, c.out), kernel.NewConv(c.height, c.width, c.out, c.in)
	filter, workspace := mem.floats(plan.FilterSize(), offsets[0]), mem.floats(plan.Workspace(), offsets[1])
	x, weight, grad := mem.copyOf(c.x, offsets[2]), mem.copyOf(c.weight, offsets[6]), mem.copyOf(c.grad, offsets[7])
	y, dx, dweight = mem.floats(len(grad), offsets[3]), mem.floats(len(x), offsets[2]), mem.floats(len(weight), offsets[6])

	plan.TransformFilter(filter, weight, workspace, 0, 1)
	plan.Forward(y, x, filter, mem.copyOf(c.bias, offsets[4]), mem.copyOf(c.residual, offsets[5]), true, workspace)
	plan.WeightGradient(dweight, nil, x, grad, workspace, 0, 1)

	filter, workspace = mem.floats(back.FilterSize(), offsets[0]), mem.floats(back.Workspace(), offsets[1])
	back.TransformFlipped(filter, weight, workspace, 0, 1)
	back.Forward(dx, grad, filter, nil, nil, false, workspace)
	return y, dx, dweight
}

// TestSilentImagesAddNothing: images without a gradient, wherever they are in the batch, change no bit of the weight's.
func TestSilentImagesAddNothing(t *testing.T) {
	const most = 40
	eachSet(t, func(t *testing.T) {
		for _, s := range [][4]int{{7, 6, 16, 24}, {3, 5, 33, 17}} {
			c := drawConvolution(newRand(52), s[0], s[1], s[2], s[3], 1)
			var mem memory
			want := c.weightGradient(&mem, 0)
			plan := kernel.NewConv(c.height, c.width, c.in, c.out)
			workspace, dweight := mem.floats(plan.Workspace(), 0), mem.floats(len(c.weight), 0)
			x := randoms(newRand(53), most*len(c.x))
			for place := 0; place < most; place += fulltest.Pick(13, 1) {
				grad := make([]float32, most*len(c.grad))
				copy(grad[place*len(c.grad):], c.grad)
				here := append([]float32(nil), x...)
				copy(here[place*len(c.x):], c.x)
				plan.WeightGradient(dweight, nil, here, grad, workspace, 0, 1)
				sameBits(t, fmt.Sprintf("%v at place %d of %d", c, place, most), dweight, want)
			}
		}
	})
}

// TestPortionsDoNotMatter checks that portions, computed at once, make the bits of the whole: fewer and more than there are.
func TestPortionsDoNotMatter(t *testing.T) {
	eachSet(t, func(t *testing.T) {
		for _, s := range [][5]int{{7, 6, 16, 24, 70}, {3, 5, 33, 17, 2}, {19, 19, 64, 64, 2}, {15, 15, 48, 33, 3}} {
			var mem memory
			c := drawConvolution(newRand(54), s[0], s[1], s[2], s[3], s[4])
			plan, back := kernel.NewConv(c.height, c.width, c.in, c.out), kernel.NewConv(c.height, c.width, c.out, c.in)
			var want [4][]float32
			for n := 1; n <= 5; n++ {
				got := [4][]float32{
					mem.floats(len(c.weight), 0), mem.floats(c.out, 0), mem.floats(plan.FilterSize(), 0), mem.floats(back.FilterSize(), 0),
				}
				workspace, backspace := make([][]float32, n), make([][]float32, n)
				for k := range n {
					workspace[k], backspace[k] = mem.floats(plan.Workspace(), n), mem.floats(back.Workspace(), n)
				}
				parallel.For(n, func(k int) {
					plan.WeightGradient(got[0], got[1], c.x, c.grad, workspace[k], k, n)
					plan.TransformFilter(got[2], c.weight, workspace[k], k, n)
					back.TransformFlipped(got[3], c.weight, backspace[k], k, n)
				})
				if n == 1 {
					want = got
				}
				for i, name := range []string{"dweight", "dbias", "filter", "flipped filter"} {
					sameBits(t, fmt.Sprintf("%v, %d portions: %s", c, n, name), got[i], want[i])
				}
			}
			mem.check(t)
		}
	})
}

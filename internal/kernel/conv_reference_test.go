package kernel_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"sync"

	"tengen/internal/fulltest"
	"tengen/internal/kernel"
)

// convolution is a 3x3 convolution with its operands, and what float64 arithmetic makes of them.
type convolution struct {
	height, width, in, out, batch   int
	x, weight, bias, residual, grad []float32
	y, dx, dweight                  estimates
}

// estimates are the exact results and, for each, the size against which its error is measured. Winograd's rounding
// errors come from all that a tile and a filter hold, not from an element's own terms alone, so a size takes the
// largest factor wherever the formula has another one of the same channel. The sum of an element's |terms| is terms.
type estimates struct{ exact, size, terms []float64 }

func newEstimates(n int) estimates {
	return estimates{make([]float64, n), make([]float64, n), make([]float64, n)}
}

func (e estimates) add(at int, a, b float32) {
	term := float64(a) * float64(b)
	e.exact[at] += term
	e.terms[at] += math.Abs(term)
}

// worst returns the largest error of got divided by the size, and where it is.
func (e estimates) worst(got []float32) (ratio float64, at int) {
	for i, v := range got {
		if float64(v) == e.exact[i] {
			continue // the size may be 0
		}
		if r := math.Abs(float64(v)-e.exact[i]) / e.size[i]; r > ratio || r != r {
			ratio, at = r, i
		}
	}
	return ratio, at
}

func (c *convolution) String() string {
	return fmt.Sprintf("%d images %dx%d, %d to %d channels", c.batch, c.height, c.width, c.in, c.out)
}

// drawConvolution draws operands alone. Like the planes behind a ReLU, x has many zeros.
func drawConvolution(rng *rand.Rand, height, width, in, out, batch int) *convolution {
	c := &convolution{height: height, width: width, in: in, out: out, batch: batch}
	c.x = randoms(rng, batch*height*width*in)
	for i, v := range c.x {
		c.x[i] = max(0, v)
	}
	c.weight, c.bias = randoms(rng, out*in*9), randoms(rng, out)
	c.residual, c.grad = randoms(rng, batch*height*width*out), randoms(rng, batch*height*width*out)
	return c
}

// newConvolution draws operands and computes the results.
func newConvolution(rng *rand.Rand, height, width, in, out, batch int) *convolution {
	c := drawConvolution(rng, height, width, in, out, batch)
	c.y, c.dx, c.dweight = newEstimates(len(c.residual)), newEstimates(len(c.x)), newEstimates(len(c.weight))
	c.eachTerm(func(y, x, w int) {
		c.y.add(y, c.x[x], c.weight[w])
		c.dx.add(x, c.grad[y], c.weight[w])
		c.dweight.add(w, c.grad[y], c.x[x])
	})
	c.measure()
	return c
}

// eachTerm is the definition of the convolution: it visits the indices of all terms y += x*w.
func (c *convolution) eachTerm(visit func(y, x, w int)) {
	for b := range c.batch {
		for row := range c.height {
			for column := range c.width {
				for u := max(0, row-1); u <= min(c.height-1, row+1); u++ {
					for v := max(0, column-1); v <= min(c.width-1, column+1); v++ {
						to := ((b*c.height+row)*c.width + column) * c.out
						from := ((b*c.height+u)*c.width + v) * c.in
						tap := (u-row+1)*3 + v - column + 1
						for o := range c.out {
							for i := range c.in {
								visit(to+o, from+i, (o*c.in+i)*9+tap)
							}
						}
					}
				}
			}
		}
	}
}

// measure sets the sizes.
func (c *convolution) measure() {
	cells := c.height * c.width
	taps := make([]float64, c.out*c.in) // sums of |weight|
	for k, w := range c.weight {
		taps[k/9] += math.Abs(float64(w))
	}
	for b := range c.batch {
		x, grad := c.x[b*cells*c.in:][:cells*c.in], c.grad[b*cells*c.out:][:cells*c.out]
		largestX, sumX := columnSizes(x, c.in)
		largestGrad, _ := columnSizes(grad, c.out)
		for k := range cells {
			for o := range c.out {
				for i := range c.in {
					c.y.size[(b*cells+k)*c.out+o] += largestX[i] * taps[o*c.in+i]
					c.dx.size[(b*cells+k)*c.in+i] += largestGrad[o] * taps[o*c.in+i]
				}
			}
		}
		for k := range c.weight {
			c.dweight.size[k] += sumX[k/9%c.in] * largestGrad[k/9/c.in]
		}
	}
}

// columnSizes returns the largest and the sum of the absolute values of each column.
func columnSizes(x []float32, columns int) (largest, sum []float64) {
	largest, sum = make([]float64, columns), make([]float64, columns)
	for i, v := range x {
		size := math.Abs(float64(v))
		largest[i%columns] = max(largest[i%columns], size)
		sum[i%columns] += size
	}
	return largest, sum
}

// convolutions are the cases that the tests of Conv share: every number of channels, boards from 1x1 to 19x19, tiles of
// all sizes at the edges, batches that fill several chunks of the workspace, and an image that fills more than one.
var convolutions = sync.OnceValue(func() []*convolution {
	rng := newRand(40)
	var list []*convolution
	for _, s := range [][5]int{
		{1, 1, 1, 1, 1}, {1, 1, 16, 16, 9}, {1, 19, 3, 5, 2}, {19, 1, 5, 3, 1}, {2, 3, 4, 8, 3}, {4, 4, 8, 16, 2},
		{5, 4, 16, 8, 2}, {6, 7, 33, 17, 2}, {9, 9, 17, 24, 1}, {3, 5, 24, 33, 4}, {8, 8, 2, 3, 60}, {1, 1, 1, 1, 400},
		{7, 6, 64, 64, 9}, {8, 8, 33, 48, 2}, {19, 19, 24, 17, 1}, {6, 7, 96, 64, 1}, {3, 3, 128, 96, 2}, {3, 3, 96, 128, 1},
		{2, 2, 1, 128, 5}, {2, 2, 128, 1, 5}, {15, 15, 32, 33, 1}, {15, 15, 96, 96, 1},
	} {
		list = append(list, newConvolution(rng, s[0], s[1], s[2], s[3], s[4]))
	}
	for height := 5; height <= 8; height++ {
		for width := 5; width <= 8; width++ {
			list = append(list, newConvolution(rng, height, width, 16, 17, 2))
		}
	}
	channels := []int{1, 2, 3, 4, 5, 8, 16, 17, 24, 32, 33, 48, 64, 96, 128}
	for number := 0; number < 100; {
		height, width, batch := 1+rng.IntN(19), 1+rng.IntN(19), 1+rng.IntN(9)
		in, out := channels[rng.IntN(len(channels))], channels[rng.IntN(len(channels))]
		if height*width*in*out*batch > 200_000 {
			continue
		}
		number++
		if number%fulltest.Pick(8, 1) == 0 {
			list = append(list, newConvolution(rng, height, width, in, out, batch))
		}
	}
	return list
})

// prepare makes the plan and its transformed filter, with a workspace of exactly the size needed, full of NaN.
func (c *convolution) prepare(mem *memory, offset int) (plan *kernel.Conv, filter, workspace []float32) {
	plan = kernel.NewConv(c.height, c.width, c.in, c.out)
	filter, workspace = mem.floats(plan.FilterSize(), offset), mem.floats(plan.Workspace(), 7*offset%16)
	plan.TransformFilter(filter, mem.copyOf(c.weight, 3*offset%16), workspace, 0, 1)
	return plan, filter, workspace
}

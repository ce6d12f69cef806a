package kernel

import "fmt"

// Conv is the plan of a 3x3 convolution with a padding of 1 on boards of one size, by Winograd's F(4x4, 3x3):
//
//	y[b, r, c, o] = bias[o] + sum over i, u, v of x[b, r+u-1, c+v-1, i] * weight[o, i, u, v]
//
// with x [batch, height, width, in] and y [batch, height, width, out]. Tiles of the input are transformed, multiplied by
// the transformed filter as 36 matrix products over channels, and transformed back. On the boards of this project that is
// 2.6 (7x6) to 4 (8x8) times fewer multiplications than the formula has. It rounds differently: see the tests for how far.
//
// A Conv is not changed by its use, and safe for concurrent use.
type Conv struct {
	height, width, in, out int
	tiles                  int      // of one image
	chunk                  int      // tiles that are transformed and multiplied together
	input                  [][]cell // [tiles][36]: the elements of each tile of the input
	gradient               [][]cell // [tiles][16]: those of each tile of an image like the output
	places                 []place  // [tiles]
}

// chunkBytes is the memory of a chunk's transformed tiles, chosen to stay in a core's second-level cache with the filter.
const chunkBytes = 384 << 10

// chunkStep is the number of rows that the widest product works on together.
const chunkStep = 12

// NewConv makes the plan.
func NewConv(height, width, in, out int) *Conv {
	if height < 1 || width < 1 || in < 1 || out < 1 {
		panic(fmt.Sprintf("kernel: convolution of %d to %d channels on %dx%d", in, out, height, width))
	}
	c := &Conv{height: height, width: width, in: in, out: out}
	for top := 0; top < height; top += tileOut {
		for left := 0; left < width; left += tileOut {
			c.input = append(c.input, c.cells(top-1, left-1, tileIn, in))
			c.gradient = append(c.gradient, c.cells(top, left, tileOut, out))
			c.places = append(c.places, place{
				offset: (top*width + left) * out, row: width * out, column: out,
				rows: min(tileOut, height-top), columns: min(tileOut, width-left),
			})
		}
	}
	c.tiles = len(c.places)
	c.chunk = max(1, chunkBytes/(4*points*(in+Pad(out)))/chunkStep) * chunkStep
	return c
}

// cells lists the elements of a square tile, some of which may lie beyond the board, of an image with that many channels.
func (c *Conv) cells(top, left, side, channels int) []cell {
	var list []cell
	for row := top; row < top+side; row++ {
		for column := left; column < left+side; column++ {
			if row < 0 || row >= c.height || column < 0 || column >= c.width {
				list = append(list, cell{})
				continue
			}
			list = append(list, cell{uint32(4 * channels * (row*c.width + column)), ^uint32(0)})
		}
	}
	return list
}

// inputPlane and outputPlane are the distances between the planes of a chunk. The extra floats keep the planes from all
// falling on the same lines of the cache.
func (c *Conv) inputPlane() int  { return c.chunk*c.in + Lanes }
func (c *Conv) outputPlane() int { return c.chunk*Pad(c.out) + Lanes }

// Workspace is the number of floats that Forward and WeightGradient need. Their content does not matter, and means nothing
// afterwards.
func (c *Conv) Workspace() int {
	return points*(c.inputPlane()+c.outputPlane()) + (points+taps)*c.in*Pad(c.out)
}

// FilterSize is the number of floats of a transformed filter, [36, in, Pad(out)].
func (c *Conv) FilterSize() int { return points * c.in * Pad(c.out) }

// TransformFilter computes G g G^T for every pair of channels of weight [out, in, 3, 3].
func (c *Conv) TransformFilter(filter, weight, workspace []float32) {
	c.transform(filter, weight, workspace, c.in, 1, false)
}

// TransformFlipped makes the filter of the gradient with respect to the input: of the weight [in, out, 3, 3] of the
// convolution whose gradient this one computes, whose input has the channels that this one's output has, turned by 180
// degrees.
func (c *Conv) TransformFlipped(filter, weight, workspace []float32) {
	c.transform(filter, weight, workspace, 1, c.out, true)
}

// transform makes a filter of a weight whose taps for the output channel o and the input channel i begin at
// (o*strideOut + i*strideIn) * 9, in reverse order if flipped.
func (c *Conv) transform(filter, weight, workspace []float32, strideOut, strideIn int, flipped bool) {
	padded := Pad(c.out)
	n := c.in * padded
	need("the transformed filter", filter, points*n)
	need("the weight", weight, taps*c.in*c.out)
	need("the workspace", workspace, c.Workspace())
	planes := workspace[:taps*n]
	clear(planes)
	for i := range c.in {
		for o := range c.out {
			w := weight[(o*strideOut+i*strideIn)*taps:][:taps]
			at := i*padded + o
			for tap, x := range w {
				if flipped {
					tap = taps - 1 - tap
				}
				planes[tap*n+at] = x
			}
		}
	}
	if active.filter != nil {
		active.filter(filter[:points*n], n, planes, n, n)
		return
	}
	planesGo(filterMatrix, filter[:points*n], n, planes, n, n)
}

// Forward computes y from x with a filter made by TransformFilter. bias is [out] or nil; residual is an image like y that
// is added, or nil; relu then takes what is negative for 0. y must overlap nothing but may be residual.
func (c *Conv) Forward(y, x, filter, bias, residual []float32, relu bool, workspace []float32) {
	image := c.height * c.width * c.out
	total := c.checkImages(x, y) * c.tiles
	need("the transformed filter", filter, c.FilterSize())
	need("the workspace", workspace, c.Workspace())
	if bias != nil {
		need("the bias", bias, c.out)
	}
	if residual != nil {
		need("the residual", residual, len(y))
	}
	planeIn, planeOut, padded := c.inputPlane(), c.outputPlane(), Pad(c.out)
	in := workspace[:points*planeIn]
	out := workspace[points*planeIn:][:points*planeOut]
	for start := 0; start < total; start += c.chunk {
		n := min(c.chunk, total-start)
		c.gatherInput(in, x, start, n)
		for p := range points {
			gemm(n, padded, c.in, in[p*planeIn:], c.in, 1, filter[p*c.in*padded:], padded, out[p*planeOut:], padded, nil, 0)
		}
		for t := range n {
			number, tile := (start+t)/c.tiles, (start+t)%c.tiles
			var other []float32
			if residual != nil {
				other = residual[number*image:][:image]
			}
			c.scatter(y[number*image:][:image], &c.places[tile], out[t*padded:], planeOut, bias, other, relu)
		}
	}
}

// gatherInput transforms n tiles of x, counted through the batch, into planes.
func (c *Conv) gatherInput(planes, x []float32, start, n int) {
	image := c.height * c.width * c.in
	whole := c.in / active.lanes * active.lanes
	for t := range n {
		src, cells := x[(start+t)/c.tiles*image:][:image], c.input[(start+t)%c.tiles]
		dst := planes[t*c.in:]
		if whole > 0 {
			active.gatherInput(dst, c.inputPlane(), src, cells, whole)
		}
		if whole < c.in {
			gatherGo(inputMatrix, dst, c.inputPlane(), src, cells, whole, c.in)
		}
	}
}

// gatherGradient transforms n tiles of the output's gradient, counted through the batch, into planes.
func (c *Conv) gatherGradient(planes, grad []float32, start, n int) {
	image := c.height * c.width * c.out
	whole := c.out / active.lanes * active.lanes
	for t := range n {
		src, cells := grad[(start+t)/c.tiles*image:][:image], c.gradient[(start+t)%c.tiles]
		dst := planes[t*Pad(c.out):]
		if whole > 0 {
			active.gatherGradient(dst, c.outputPlane(), src, cells, whole)
		}
		if whole < c.out {
			gatherGo(gradientMatrix, dst, c.outputPlane(), src, cells, whole, c.out)
		}
	}
}

func (c *Conv) scatter(dst []float32, at *place, src []float32, plane int, bias, residual []float32, relu bool) {
	whole := c.out / active.lanes * active.lanes
	if whole > 0 {
		active.scatterOutput(dst, at, src, plane, bias, residual, relu, whole)
	}
	if whole < c.out {
		scatterGo(dst, at, src, plane, bias, residual, relu, whole, c.out)
	}
}

// WeightGradient computes the gradient with respect to the weight [out, in, 3, 3] from the input x and the gradient with
// respect to the output, summed over the batch in the order of its images:
//
//	dweight = G^T [ sum over tiles of (B^T d B) .* (A dy A^T) ] G
func (c *Conv) WeightGradient(dweight, x, grad, workspace []float32) {
	total := c.checkImages(x, grad) * c.tiles
	need("the weight's gradient", dweight, taps*c.in*c.out)
	need("the workspace", workspace, c.Workspace())
	planeIn, planeOut, padded := c.inputPlane(), c.outputPlane(), Pad(c.out)
	size := c.in * padded
	in, workspace := workspace[:points*planeIn], workspace[points*planeIn:]
	out, workspace := workspace[:points*planeOut], workspace[points*planeOut:]
	sums, small := workspace[:points*size], workspace[points*size:][:taps*size]
	finish := mode(0)
	for start := 0; start < total; start += c.chunk {
		n := min(c.chunk, total-start)
		c.gatherInput(in, x, start, n)
		c.gatherGradient(out, grad, start, n)
		for p := range points {
			gemm(c.in, padded, n, in[p*planeIn:], 1, c.in, out[p*planeOut:], padded, sums[p*size:], padded, nil, finish)
		}
		finish = accumulate
	}
	if active.filterGradient != nil {
		active.filterGradient(small, size, sums, size, size)
	} else {
		planesGo(filterGradientMatrix, small, size, sums, size, size)
	}
	for o := range c.out {
		for i := range c.in {
			for tap := range taps {
				dweight[(o*c.in+i)*taps+tap] = small[tap*size+i*padded+o]
			}
		}
	}
}

// checkImages returns the number of images in x, after checking that y has as many.
func (c *Conv) checkImages(x, y []float32) int {
	imageIn, imageOut := c.height*c.width*c.in, c.height*c.width*c.out
	n := len(x) / imageIn
	if n == 0 || len(x) != n*imageIn || len(y) != n*imageOut {
		panic(fmt.Sprintf("kernel: convolution of %d to %d channels on %dx%d with %d floats in and %d out",
			c.in, c.out, c.height, c.width, len(x), len(y)))
	}
	return n
}

package kernel

import "fmt"

// Conv is the plan of a 3x3 convolution with a padding of 1 on boards of one size, by Winograd's F(4x4, 3x3):
//
//	y[b, r, c, o] = bias[o] + sum over i, u, v of x[b, r+u-1, c+v-1, i] * weight[o, i, u, v]
//
// with x [batch, height, width, in] and y [batch, height, width, out]. Input tiles are transformed, multiplied by the
// transformed filter as 36 matrix products over channels, and transformed back. Tiles at the lower and right edges may
// be smaller. This takes 3.2 (6x6) to 4 (8x8) times fewer multiplications, and rounds differently. A Conv is immutable
// and safe for concurrent use.
type Conv struct {
	height, width, in, out int
	tiles                  []tile     // of one image, sorted by kind
	kinds                  [kinds]int // end of each kind in tiles
	edgeRows, edgeColumns  int
	chunkTiles             int   // most tiles of a chunk
	chunkImages            int   // most images of a chunk
	gradient               *Conv // WeightGradient's plan, with the same chunks on all processors; nil if this is one
}

// The kinds of tiles. Those that share a plane are adjacent.
const (
	bottom = iota // at the lower edge
	inner         // of full size
	right         // at the right edge
	corner        // at both
	kinds
)

// A chunk's transformed tiles share the second-level cache with the filter. These limit their bytes, for caches of
// 512 KiB and of at least 1 MiB.
const (
	chunkBytes     = 384 << 10
	wideChunkBytes = 672 << 10
)

// chunkStep is the number of rows of the widest product.
const chunkStep = 12

// NewConv returns the plan.
func NewConv(height, width, in, out int) *Conv {
	c := newConv(height, width, in, out, active.chunkBytes)
	c.gradient = newConv(height, width, in, out, chunkBytes)
	return c
}

func newConv(height, width, in, out, chunkBytes int) *Conv {
	if height < 1 || width < 1 || in < 1 || out < 1 {
		panic(fmt.Sprintf("kernel: convolution of %d to %d channels on %dx%d", in, out, height, width))
	}
	c := &Conv{height: height, width: width, in: in, out: out}
	c.edgeRows, c.edgeColumns = (height-1)%tileOut+1, (width-1)%tileOut+1
	for kind := range kinds {
		for top := 0; top < height; top += tileOut {
			for left := 0; left < width; left += tileOut {
				if t := c.tile(top, left); t.kind() == kind {
					c.tiles = append(c.tiles, t)
				}
			}
		}
		c.kinds[kind] = len(c.tiles)
	}
	row := 4 * (in + Pad(out)) // bytes in an input and an output plane
	size := 0                  // bytes of an image
	for p := range points {
		first, last := c.rowsInUse(p, c.kinds)
		size += row * (last - first)
	}
	c.chunkImages = chunkBytes / size
	if c.chunkImages > 0 {
		c.chunkTiles = c.chunkImages * len(c.tiles)
	} else {
		c.chunkImages = 1
		c.chunkTiles = min(len(c.tiles), max(1, chunkBytes/(points*row)/chunkStep)*chunkStep)
	}
	return c
}

func (c *Conv) tile(top, left int) tile {
	t := tile{
		rows: min(tileOut, c.height-top), columns: min(tileOut, c.width-left),
		offset: (top*c.width + left) * c.out, row: c.width * c.out, column: c.out,
	}
	t.input = c.cells(top-1, left-1, t.rows+edge, t.columns+edge, c.in)
	t.gradient = c.cells(top, left, t.rows, t.columns, c.out)
	return t
}

func (t *tile) kind() int {
	switch {
	case t.rows < tileOut && t.columns < tileOut:
		return corner
	case t.rows < tileOut:
		return bottom
	case t.columns < tileOut:
		return right
	}
	return inner
}

// cells lists a rectangle of an image by column. Cells may lie beyond the board.
func (c *Conv) cells(top, left, rows, columns, channels int) []cell {
	var list []cell
	for column := left; column < left+columns; column++ {
		for row := top; row < top+rows; row++ {
			if row < 0 || row >= c.height || column < 0 || column >= c.width {
				list = append(list, cell{})
				continue
			}
			list = append(list, cell{uint32(4 * channels * (row*c.width + column)), ^uint32(0)})
		}
	}
	return list
}

// rowsInUse returns the rows of a point's plane that hold tiles, given the end of each kind. Tiles cut by the edge have
// fewer points, so some planes lack the bottom or the right tiles. The order of kinds keeps the rest contiguous.
func (c *Conv) rowsInUse(point int, ends [kinds]int) (first, last int) {
	has := func(i, outputs int) bool { return i <= outputs || i == side-1 }
	usesBottom, usesRight := has(point/side, c.edgeRows), has(point%side, c.edgeColumns)
	switch {
	case usesBottom && usesRight:
		return 0, ends[corner]
	case usesBottom:
		return 0, ends[inner]
	case usesRight:
		return ends[bottom], ends[right]
	}
	return ends[bottom], ends[inner]
}

// chunk is the part of a batch that is multiplied together: some images, or some tiles of one image.
type chunk struct{ image, images, tile, tiles int }

// ChunkImages returns the number of images, at least 1, that share a chunk of the second-level cache.
func (c *Conv) ChunkImages() int { return c.chunkImages }

func (c *Conv) chunks(batch int) int { return ((batch-1)/c.chunkImages + 1) * c.chunksPerImage() }

// chunksPerImage is 1 if chunks hold whole images.
func (c *Conv) chunksPerImage() int { return (len(c.tiles)-1)/c.chunkTiles + 1 }

// chunkAt returns a batch's chunk, empty after the last.
func (c *Conv) chunkAt(number, batch int) chunk {
	number = min(number, c.chunks(batch))
	image, tile := min(number/c.chunksPerImage()*c.chunkImages, batch), number%c.chunksPerImage()*c.chunkTiles
	return chunk{image, min(c.chunkImages, batch-image), tile, min(c.chunkTiles, len(c.tiles)-tile)}
}

// ends returns the end of each kind in a chunk's planes.
func (c *Conv) ends(s chunk) (ends [kinds]int) {
	for kind, end := range c.kinds {
		ends[kind] = s.images * (min(max(end, s.tile), s.tile+s.tiles) - s.tile)
	}
	return ends
}

// each visits a chunk's tiles in the order of rows: by kind, then by image.
func (c *Conv) each(s chunk, visit func(row, image int, t *tile)) {
	row, first := 0, s.tile
	for _, end := range c.kinds {
		last := min(max(end, first), s.tile+s.tiles)
		for image := s.image; image < s.image+s.images; image++ {
			for t := first; t < last; t++ {
				visit(row, image, &c.tiles[t])
				row++
			}
		}
		first = last
	}
}

// plane returns the distance between a chunk's planes of some channels. The extra floats keep planes off the same cache
// lines.
func (c *Conv) plane(channels int) int { return c.chunkTiles*channels + Lanes }

// Workspace returns the scratch memory in floats.
func (c *Conv) Workspace() int {
	planes := c.plane(c.in) + c.plane(Pad(c.out))
	if c.gradient != nil {
		return max(points*planes, c.gradient.Workspace())
	}
	return points*planes + ((points+taps)*c.in+1)*Pad(c.out)
}

// FilterSize returns a transformed filter's size, [36, in, Pad(out)], in floats.
func (c *Conv) FilterSize() int { return points * c.in * Pad(c.out) }

// TransformFilter computes G g G^T of the weight [out, in, 3, 3] for some of the input channels and all output
// channels: one of several equal portions, counted from 0. Concurrent calls may compute different parts.
func (c *Conv) TransformFilter(filter, weight, workspace []float32, portion, portions int) {
	c.transform(filter, weight, workspace, c.in, 1, false, portion, portions)
}

// TransformFlipped computes a portion of InputGradient's filter from the weight [in, out, 3, 3] of the differentiated
// convolution, whose input has this one's output channels.
func (c *Conv) TransformFlipped(filter, weight, workspace []float32, portion, portions int) {
	c.transform(filter, weight, workspace, 1, c.out, true, portion, portions)
}

// transform computes a portion of a filter from a weight whose taps for channels o and i begin at (o*strideOut +
// i*strideIn) * 9, in reverse order if flipped.
func (c *Conv) transform(filter, weight, workspace []float32, strideOut, strideIn int, flipped bool, portion, portions int) {
	need("the transformed filter", filter, c.FilterSize())
	need("the weight", weight, taps*c.in*c.out)
	need("the workspace", workspace, c.Workspace())
	first, last := c.in*portion/portions, c.in*(portion+1)/portions
	padded := Pad(c.out)
	n := (last - first) * padded
	if n == 0 {
		return
	}
	planes := workspace[:taps*n]
	if padded > c.out {
		clear(planes)
	}
	tap, step := 0, n // to the next tap's plane
	if flipped {
		tap, step = (taps-1)*n, -n
	}
	for i := first; i < last; i++ {
		for o := range c.out {
			to := tap + (i-first)*padded + o
			for _, x := range weight[(o*strideOut+i*strideIn)*taps:][:taps] {
				planes[to] = x
				to += step
			}
		}
	}
	active.filter(filter[first*padded:c.FilterSize()], c.in*padded, planes, n, n)
}

// epilogue changes results as they are stored.
type epilogue struct {
	bias     []float32 // added: [out], or [batch, out] by image; or nil
	residual []float32 // added: like the output, or nil
	mask     []float32 // results are 0 where it is not above 0; or nil
	relu     bool      // negative results become 0
}

// of returns an image's epilogue, given its number and its floats.
func (e epilogue) of(number, out, first, last int) epilogue {
	if len(e.bias) > out {
		e.bias = e.bias[number*out:][:out]
	}
	if e.residual != nil {
		e.residual = e.residual[first:last]
	}
	if e.mask != nil {
		e.mask = e.mask[first:last]
	}
	return e
}

// from returns the epilogue of the channels from the given one on.
func (e epilogue) from(channel int) epilogue {
	e.bias, e.residual, e.mask = tail(e.bias, channel), tail(e.residual, channel), tail(e.mask, channel)
	return e
}

// Forward computes y from x with TransformFilter's filter. bias is [out], [batch, out] by image, or nil. residual, like
// y or nil, is added. With relu, negative results become 0. y may overlap only residual.
func (c *Conv) Forward(y, x, filter, bias, residual []float32, relu bool, workspace []float32) {
	c.convolve(y, x, filter, epilogue{bias: bias, residual: residual, relu: relu}, workspace)
}

// InputGradient computes dx, the gradient with respect to an input, from the output's, with TransformFlipped's filter.
// residual, another gradient of the input or nil, is added. mask is the input if it is a ReLU's result, else nil: dx is
// 0 where it is not above 0. dx may overlap only residual.
func (c *Conv) InputGradient(dx, grad, filter, residual, mask, workspace []float32) {
	c.convolve(dx, grad, filter, epilogue{residual: residual, mask: mask}, workspace)
}

func (c *Conv) convolve(y, x, filter []float32, e epilogue, workspace []float32) {
	image, batch := c.height*c.width*c.out, c.checkImages(x, y)
	need("the transformed filter", filter, c.FilterSize())
	need("the workspace", workspace, c.Workspace())
	if n := len(e.bias); e.bias != nil && n != c.out && n != batch*c.out {
		panic(fmt.Sprintf("kernel: %d floats of the bias; %d or, for each image, %d are needed", n, c.out, batch*c.out))
	}
	if e.residual != nil {
		need("the residual", e.residual, len(y))
	}
	if e.mask != nil {
		need("the mask", e.mask, len(y))
	}
	padded := Pad(c.out)
	planeIn, planeOut := c.plane(c.in), c.plane(padded)
	in, out, _ := c.planes(workspace)
	ahead, scatter := c.prefetches(batch), active.scatterOutput
	for number := range c.chunks(batch) {
		s, next := c.chunkAt(number, batch), c.chunkAt(number+1, batch)
		c.gatherInput(in, x, s, 0, c.in)
		ends := c.ends(s)
		for p := range points {
			if ahead {
				c.prefetch(next, batch, p, points, x)
				c.prefetch(s, batch, p, points, y, e.residual, e.mask)
			}
			first, last := c.rowsInUse(p, ends)
			gemm(last-first, padded, c.in, in[p*planeIn+first*c.in:], c.in, 1, filter[p*c.in*padded:], padded,
				out[p*planeOut+first*padded:], padded, nil, 0)
		}
		c.each(s, func(row, number int, t *tile) {
			first, last := number*image, (number+1)*image
			scatter(y[first:last], t, out[row*padded:], planeOut, e.of(number, c.out, first, last), c.out)
		})
	}
}

// prefetches reports whether to call prefetch. A batch of one chunk is small and in the cache.
func (c *Conv) prefetches(batch int) bool {
	return active.prefetch != nil && batch > c.chunkImages
}

// prefetch asks for part i of n of a chunk's memory, while a product hides the latency.
func (c *Conv) prefetch(s chunk, batch, i, n int, images ...[]float32) {
	part := s.images * s.tiles
	first, all := n*(s.image*len(c.tiles)+s.tile)+i*part, n*batch*len(c.tiles)
	for _, x := range images {
		if x != nil {
			active.prefetch(x[len(x)*first/all : len(x)*(first+part)/all])
		}
	}
}

// gatherInput transforms input channels from to to-1 of a chunk.
func (c *Conv) gatherInput(planes, x []float32, s chunk, from, to int) {
	image, width := c.height*c.width*c.in, to-from
	plane := c.plane(width)
	c.each(s, func(row, number int, t *tile) {
		active.gatherInput(planes[row*width:], plane, x[number*image+from:][:image-from], t, width)
	})
}

func (c *Conv) gatherGradient(planes, grad []float32, s chunk) {
	image := c.height * c.width * c.out
	plane := c.plane(Pad(c.out))
	c.each(s, func(row, number int, t *tile) {
		active.gatherGradient(planes[row*Pad(c.out):], plane, grad[number*image:][:image], t, c.out)
	})
}

// planes cuts a workspace into a chunk's input planes, its output planes, and the rest.
func (c *Conv) planes(workspace []float32) (in, out, rest []float32) {
	n, m := points*c.plane(c.in), points*c.plane(Pad(c.out))
	return workspace[:n], workspace[n:][:m], workspace[n+m:]
}

// checkImages returns the images in x, and panics unless y has as many.
func (c *Conv) checkImages(x, y []float32) int {
	imageIn, imageOut := c.height*c.width*c.in, c.height*c.width*c.out
	n := len(x) / imageIn
	if n == 0 || len(x) != n*imageIn || len(y) != n*imageOut {
		panic(fmt.Sprintf("kernel: convolution of %d to %d channels on %dx%d with %d floats in and %d out",
			c.in, c.out, c.height, c.width, len(x), len(y)))
	}
	return n
}

// Used returns for each of the 36 planes the first row in use and the end of the rows, for one image, and the image's
// tiles. A batch's rows are sorted by kind of tile, then by image, so a batch of n images has n times as many.
func (c *Conv) Used() (rows []int32, tiles int) {
	for p := range points {
		first, last := c.rowsInUse(p, c.kinds)
		rows = append(rows, int32(first), int32(last))
	}
	return rows, len(c.tiles)
}

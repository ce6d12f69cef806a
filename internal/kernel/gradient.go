package kernel

// WeightGradient computes the gradient of the weight [out, in, 3, 3] for one of several equal portions of the input
// channels, counted from 0. The portion with the first channel also computes the gradient of the bias [out], unless
// dbias is nil. Concurrent calls may compute different parts. They sum over the batch in an order that depends only on
// its size:
//
//	dweight = G^T [ sum over tiles of (B^T d B) .* (A dy A^T) ] G
//
// A has a row of ones, so one element of A dy A^T is a tile's sum, for dbias.
func (c *Conv) WeightGradient(dweight, dbias, x, grad, workspace []float32, portion, portions int) {
	need("the workspace", workspace, c.Workspace())
	c = c.gradient
	batch := c.checkImages(x, grad)
	need("the weight's gradient", dweight, taps*c.in*c.out)
	if dbias != nil {
		need("the bias's gradient", dbias, c.out)
	}
	blocks := c.GradientPortions()
	from, to := min(c.in, blocks*portion/portions*Lanes), min(c.in, blocks*(portion+1)/portions*Lanes)
	if from == to {
		return
	}
	size := (to - from) * Pad(c.out)
	in, out, rest := c.planes(workspace)
	sums, rest := rest[:points*size], rest[points*size:]
	small, totals := rest[:taps*size], rest[taps*size:][:Pad(c.out)]
	g := tileSums{Conv: c, x: x, grad: grad, batch: batch, from: from, to: to, in: in, out: out, sums: sums}
	if from == 0 && dbias != nil {
		g.totals = totals
	}
	for number := range c.chunks(batch) {
		g.addChunk(number)
	}
	active.filterGradient(small, size, sums, size, size)
	c.unpack(dweight, small, from, to)
	if g.totals != nil {
		copy(dbias[:c.out], totals)
	}
}

// GradientPortions is the number of portions beyond which WeightGradient's are empty. Each portion transforms the
// output's gradient again.
func (c *Conv) GradientPortions() int { return Pad(c.in) / Lanes }

// tileSums are the sums over tiles in WeightGradient, for input channels from to to-1.
type tileSums struct {
	*Conv
	x, grad      []float32
	batch        int
	from, to     int
	in, out      []float32 // planes of a chunk
	sums, totals []float32 // totals is nil except in one portion
}

// addChunk adds a chunk's products to sums and totals.
func (g *tileSums) addChunk(number int) {
	s, next := g.chunkAt(number, g.batch), g.chunkAt(number+1, g.batch)
	g.gatherInput(g.in, g.x, s, g.from, g.to)
	g.gatherGradient(g.out, g.grad, s)
	width, padded := g.to-g.from, Pad(g.Conv.out)
	planeIn, planeOut := g.plane(width), g.plane(padded)
	ahead, ends, finish := g.prefetches(g.batch), g.ends(s), mode(accumulate)
	if number == 0 {
		finish = 0
	}
	for p := range points {
		if ahead {
			g.prefetch(next, g.batch, p, points, g.x, g.grad)
		}
		low, high := g.rowsInUse(p, ends)
		gemm(width, padded, high-low, g.in[p*planeIn+low*width:], 1, width, g.out[p*planeOut+low*padded:], padded,
			g.sums[p*width*padded:], padded, nil, finish)
		if p == SumPoint && g.totals != nil {
			gemm(1, padded, ends[corner], one, 0, 0, g.out[p*planeOut:], padded, g.totals, padded, nil, finish)
		}
	}
}

// SumPoint is the plane where A dy A^T sums all dy.
const SumPoint = side + 1

// GradientOrder returns the order in which WeightGradient sums the rows of each plane, for each of some equal parts of
// a batch. Rows are counted as in Used. Plane p's rows for part i are order[ranges[j]:ranges[j+1]], with j = 2(p parts
// + i).
func (c *Conv) GradientOrder(batch, parts int) (order, ranges []int32) {
	g, size := c.gradient, batch/parts
	index := make(map[*tile]int)
	for i := range g.tiles {
		index[&g.tiles[i]] = i
	}
	row := func(image int, t *tile) int32 {
		i, first := index[t], 0
		for _, end := range g.kinds {
			if i < end {
				return int32(first*batch + image*(end-first) + i - first)
			}
			first = end
		}
		panic("kernel: a tile of no kind")
	}
	for p := range points {
		for part := range parts {
			ranges = append(ranges, int32(len(order)))
			for number := range g.chunks(size) {
				s := g.chunkAt(number, size)
				low, high := g.rowsInUse(p, g.ends(s))
				g.each(s, func(at, image int, t *tile) {
					if at >= low && at < high {
						order = append(order, row(part*size+image, t))
					}
				})
			}
			ranges = append(ranges, int32(len(order)))
		}
	}
	return order, ranges
}

// block is the side of the squares that unpack transposes.
const block = 16

// unpack turns taps [9, to-from, Pad(out)] into channels from to to-1 of a weight [out, in, 3, 3].
func (c *Conv) unpack(weight, planes []float32, from, to int) {
	padded := Pad(c.out)
	n := (to - from) * padded
	for o0 := 0; o0 < c.out; o0 += block {
		for i0 := from; i0 < to; i0 += block {
			for o := o0; o < min(o0+block, c.out); o++ {
				for i := i0; i < min(i0+block, to); i++ {
					w, at := weight[(o*c.in+i)*taps:][:taps], (i-from)*padded+o
					for tap := range w {
						w[tap] = planes[tap*n+at]
					}
				}
			}
		}
	}
}

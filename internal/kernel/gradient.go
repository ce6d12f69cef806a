package kernel

import "tengen/internal/parallel"

// WeightGradient computes the gradients of the weight [out, in, 3, 3] and, unless dbias is nil, the bias [out]. It sums
// over the batch in an order that depends only on its size:
//
//	dweight = G^T [ sum over tiles of (B^T d B) .* (A dy A^T) ] G
//
// A has a row of ones, so one element of A dy A^T is a tile's sum, for dbias. Each workspace gets a goroutine; there must
// be at least one.
func (c *Conv) WeightGradient(dweight, dbias, x, grad []float32, workspaces ...[]float32) {
	c.checkWorkspaces(workspaces)
	c = c.gradient
	batch := c.checkImages(x, grad)
	need("the weight's gradient", dweight, taps*c.in*c.out)
	if dbias != nil {
		need("the bias's gradient", dbias, c.out)
	}
	size := c.in * Pad(c.out)
	_, _, rest := c.planes(workspaces[0])
	sums, rest := rest[:points*size], rest[points*size:]
	small, totals := rest[:taps*size], rest[taps*size:][:Pad(c.out)]
	g := tileSums{c, x, grad, workspaces, sums, totals}
	for first := 0; first < c.chunks(batch); first += len(workspaces) {
		if len(workspaces) == 1 { // allocates nothing
			g.gather(0, first)
			g.multiply(0, first)
			continue
		}
		shared, from := g, first
		parallel.For(len(workspaces), func(i int) { shared.gather(i, from) })
		parallel.For(len(workspaces), func(i int) { shared.multiply(i, from) })
	}
	c.set.vectors().filterGradient(small, size, sums, size, size)
	c.unpack(dweight, small)
	if dbias != nil {
		copy(dbias[:c.out], totals)
	}
}

// tileSums are the sums over tiles in WeightGradient. Each goroutine transforms one chunk. Then each multiplies some of
// the planes, of all these chunks in order.
type tileSums struct {
	*Conv
	x, grad      []float32
	workspaces   [][]float32 // by goroutine
	sums, totals []float32
}

func (g *tileSums) batch() int { return len(g.x) / (g.height * g.width * g.in) }

// gather transforms the goroutine's chunk: goroutine 0 has number first, goroutine 1 the next.
func (g *tileSums) gather(goroutine, first int) {
	s := g.chunkAt(first+goroutine, g.batch())
	in, out, _ := g.planes(g.workspaces[goroutine])
	g.gatherInput(in, g.x, s)
	g.gatherGradient(out, g.grad, s)
}

// multiply adds the products of the goroutine's planes to sums and totals.
func (g *tileSums) multiply(goroutine, first int) {
	planeIn, planeOut, padded, goroutines := g.inputPlane(), g.outputPlane(), Pad(g.out), len(g.workspaces)
	next := g.chunkAt(first+goroutines+goroutine, g.batch())
	from, to := points*goroutine/goroutines, points*(goroutine+1)/goroutines
	ahead := g.prefetches(g.batch())
	for p := from; p < to; p++ {
		if ahead {
			g.prefetch(next, g.batch(), p-from, to-from, g.x, g.grad)
		}
		for i, workspace := range g.workspaces {
			s := g.chunkAt(first+i, g.batch())
			if s.images == 0 {
				break
			}
			finish := mode(accumulate)
			if first+i == 0 {
				finish = 0
			}
			in, out, _ := g.planes(workspace)
			ends := g.ends(s)
			low, high := g.used(p, ends)
			g.set.gemm(g.in, padded, high-low, in[p*planeIn+low*g.in:], 1, g.in, out[p*planeOut+low*padded:], padded,
				g.sums[p*g.in*padded:], padded, nil, finish)
			if p == sumPoint {
				g.set.gemm(1, padded, ends[corner], one, 0, 0, out[p*planeOut:], padded, g.totals, padded, nil, finish)
			}
		}
	}
}

// sumPoint is the plane where A dy A^T sums all dy.
const sumPoint = side + 1

// block is the side of the squares that unpack transposes.
const block = 16

// unpack turns taps [9, in, Pad(out)] into a weight [out, in, 3, 3].
func (c *Conv) unpack(weight, planes []float32) {
	padded := Pad(c.out)
	n := c.in * padded
	for o0 := 0; o0 < c.out; o0 += block {
		for i0 := 0; i0 < c.in; i0 += block {
			for o := o0; o < min(o0+block, c.out); o++ {
				for i := i0; i < min(i0+block, c.in); i++ {
					w, at := weight[(o*c.in+i)*taps:][:taps], i*padded+o
					for tap := range w {
						w[tap] = planes[tap*n+at]
					}
				}
			}
		}
	}
}

package gpu

import "tengen/internal/kernel"

// Split ends the operations of Forward. Those that follow belong to Backward, for whole batches. Their sums over images
// are means of sums over each of some equal parts of a batch.
func (n *Network) Split(parts int) { n.backward, n.parts = len(n.launches), parts }

// Input is what Backward writes before its operations: floats for each image, to a Result.
type Input struct {
	To   Buffer
	From []float32
}

// Backward computes the operations after Split, after Forward of a whole batch.
func (n *Network) Backward(inputs []Input, outputs ...Output) error {
	return n.device.use(func() error {
		for _, i := range inputs {
			if err := n.device.driver.Write(n.queue, i.To.memory, bytesOf(i.From)); err != nil {
				return err
			}
		}
		if err := n.launch(n.launches[n.backward:]); err != nil {
			return err
		}
		return n.read(outputs)
	})
}

// Gradients returns memory for gradients of the given sizes, and the whole of it.
func (n *Network) Gradients(sizes []int) (parts []Buffer, all Buffer) {
	for _, size := range sizes {
		parts = append(parts, Buffer{floats: size, first: all.floats})
		all.floats += size
	}
	all.memory, all.fixed = n.alloc(all.floats).memory, true
	for i := range parts {
		parts[i].memory = all.memory
	}
	return parts, all
}

// Size returns the floats of an image, or of weights or gradients.
func (b Buffer) Size() int { return b.floats }

// Filter returns the filter that Load transforms from a weight: kernel.Conv.TransformFilter or, if flipped is true,
// TransformFlipped for a convolution of in to out channels.
func (n *Network) Filter(weight Buffer, in, out int, flipped bool) Buffer {
	padded := kernel.Pad(out)
	filter := n.alloc(36 * in * padded)
	strideOut, strideIn, reverse := in, 1, 0
	if flipped {
		strideOut, strideIn, reverse = 1, out, 1
	}
	n.addTo(&n.prepare, "transformed_filter", once(in*padded), -1, filter, weight, in, out, padded, strideOut, strideIn, reverse)
	return filter
}

// Packed returns memory for the weights of a dense layer, for Pack.
func (n *Network) Packed(out, in int) Buffer { return n.alloc(kernel.Pad(out) * in) }

// Pack lets Load write a weight [out, in] as the columns of a packed one from a column on. A bias has one input.
func (n *Network) Pack(to, weight Buffer, out, in, first int) {
	n.addTo(&n.prepare, "pack", once(out*in), -1, to, weight, out, in, first)
}

// DenseGradient adds kernel.Multiply of the gradient [rows, out] of each image and the weight [out, in].
func (n *Network) DenseGradient(dx, gradient, weight Buffer, rows, out, in int) {
	n.product(dx, gradient, weight, Buffer{}, n.table(0, int32(rows)), Product{Rows: rows, In: out, Out: in},
		multiplication{planes: 1, mostRows: rows, ldb: in, panel: kernel.Lanes, rounded: in < kernel.Lanes})
}

// DenseWeightGradient adds the gradient of a weight [out, in], from x [rows, in] and the gradient [rows, out] of each
// image.
func (n *Network) DenseWeightGradient(dweight, x, gradient Buffer, rows, out, in int) {
	// The result is [out, in], so the gradient's columns come first.
	n.outer(gradient, x, n.table(0), n.ranges(rows), sums{planes: 1, in: out, out: in, rounded: in < kernel.Lanes})
	n.mean(dweight, out*in)
}

// sums describes sums over rows of products of in and out columns.
type sums struct {
	planes, in, out int
	planeA, planeB  int
	listed          int
	rounded         bool
}

// outer sets n.sums.
func (n *Network) outer(a, b, order, ranges Buffer, s sums) {
	n.sums = n.grow(n.sums, n.parts*s.planes*s.in*s.out)
	groups := func(side int) [3]int { return [3]int{(s.in-1)/side + 1, (s.out-1)/side + 1, s.planes * n.parts} }
	name, side := "outer4", 32 // sums of a group
	if g := groups(side); g[0]*g[1]*g[2] < 128 {
		name, side = "outer1", 8 // more groups for a card's many processors
	}
	if s.rounded {
		name, side = "rounded_outer1", 8
	}
	n.add(name, func(int) [3]int { return groups(side) }, -1,
		n.sums, a, b, order, ranges, s.planes, n.parts, s.in, s.out, s.planeA, s.planeB, s.listed)
}

// ranges returns the rows of each part of a batch with some rows for each image.
func (n *Network) ranges(rows int) Buffer {
	var list []int32
	for part := range n.parts {
		list = append(list, int32(n.batch*part/n.parts*rows), int32(n.batch*(part+1)/n.parts*rows))
	}
	return n.table(list...)
}

// mean adds the mean of n.sums over the parts.
func (n *Network) mean(to Buffer, size int) {
	n.add("mean", once(size), -1, to, n.sums, to.first, size, n.parts)
}

// BiasGradient adds kernel.SumRows of the gradient [rows, out] of all images.
func (n *Network) BiasGradient(dbias, gradient Buffer, rows, out int) {
	n.sums = n.grow(n.sums, n.parts*out)
	n.columnSums(n.sums, gradient, n.table(0), n.ranges(rows), columnSums{width: out, parts: n.parts})
	n.mean(dbias, out)
}

// ImageBiasGradient adds kernel.SumRows of each image's gradient [rows, out].
func (n *Network) ImageBiasGradient(dbias, gradient Buffer, rows, out int) {
	var list []int32
	for image := range n.batch {
		list = append(list, int32(image*rows), int32((image+1)*rows))
	}
	n.columnSums(dbias, gradient, n.table(0), n.table(list...), columnSums{width: out, parts: n.batch})
}

type columnSums struct{ start, width, parts, listed int }

func (n *Network) columnSums(to, rows, order, ranges Buffer, c columnSums) {
	n.add("column_sums", once(c.parts*c.width), -1, to, rows, order, ranges, c.start, c.width, c.parts, c.listed)
}

// ConvolutionGradient adds kernel.Conv.WeightGradient from an input and the gradient of the result. Without a bias,
// dbias is the zero Buffer.
func (n *Network) ConvolutionGradient(dweight, dbias, x, gradient Buffer, plan *kernel.Conv, in, out int) {
	used, tiles := plan.Used()
	planes := len(used) / 2
	planeIn, planeOut := n.batch*tiles*in, n.batch*tiles*out
	n.in, n.out = n.grow(n.in, planes*planeIn), n.grow(n.out, planes*planeOut)
	n.add("gather", each(tiles*in), 2, n.in, x, n.batch, in, whole(in), planeIn)
	n.add("gather_gradient", each(tiles*out), 2, n.out, gradient, n.batch, out, whole(out), planeOut)
	rows, ends := plan.GradientOrder(n.batch, n.parts)
	order := n.table(rows...)
	n.outer(n.in, n.out, order, n.table(ends...), sums{planes: planes, in: in, out: out, planeA: planeIn, planeB: planeOut, listed: 1})
	n.add("weight_gradient", once(in*out), -1, dweight, n.sums, dweight.first, in, out, n.parts)
	if dbias == (Buffer{}) {
		return
	}
	n.sums = n.grow(n.sums, n.parts*out)
	own := ends[kernel.SumPoint*n.parts*2:][:n.parts*2]
	n.columnSums(n.sums, n.out, order, n.table(own...),
		columnSums{start: kernel.SumPoint * planeOut, width: out, parts: n.parts, listed: 1})
	n.mean(dbias, out)
}

// elementwise adds a kernel on floats of whole batches.
func (n *Network) elementwise(name string, z, x, y Buffer) {
	n.add(name, once(n.batch*z.floats), -1, z, x, y, n.batch*z.floats)
}

// ReLUGradient adds kernel.ReLUGradient.
func (n *Network) ReLUGradient(to, y, gradient Buffer) {
	n.elementwise("relu_gradient", to, y, gradient)
}

// Add adds a sum.
func (n *Network) Add(z, x, y Buffer) { n.elementwise("add", z, x, y) }

// PoolGradient adds the gradient of Pool's images x, from its features and their gradient.
func (n *Network) PoolGradient(dx, x, features, gradient Buffer, channels int) {
	n.add("pool_gradient", each(channels), 4, dx, x, features, gradient, n.batch, channels)
}

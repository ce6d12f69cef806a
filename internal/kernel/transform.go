package kernel

// The matrices of Winograd's minimal filtering F(n x n, 3x3) (Lavin, Gray 2016, section 4.1), for n up to 4. With the
// elementwise product .*,
//
//	Y = A^T [ (G g G^T) .* (B^T d B) ] A
//
// is the n x n output of a 3x3 filter g on a tile d of n+2 by n+2. For n = 4 it takes 36 products instead of 144.
//
// A row of G evaluates the filter, as a polynomial, at one of the points 0, 1, -1, 2, -2 and infinity. n outputs need
// the first n+1 points and infinity. G is the same for all n, so tiles of all sizes share the transformed filter; B
// contains the remaining factors.
var (
	filterMatrix = matrix{6, 3, []float32{ // G
		1. / 4, 0, 0,
		-1. / 6, -1. / 6, -1. / 6,
		-1. / 6, 1. / 6, -1. / 6,
		1. / 24, 1. / 12, 1. / 6,
		1. / 24, -1. / 12, 1. / 6,
		0, 0, 1,
	}}
	filterGradientMatrix = filterMatrix.transposed() // G^T

	inputMatrices = [tileOut + 1]matrix{ // B^T, by the number of outputs
		1: {3, 3, []float32{
			4, -4, 0,
			0, -6, 0,
			0, -1, 1,
		}},
		2: {4, 4, []float32{
			4, 0, -4, 0,
			0, -3, -3, 0,
			0, 3, -3, 0,
			0, -1, 0, 1,
		}},
		3: {5, 5, []float32{
			4, -2, -4, 2, 0,
			0, -6, -3, 3, 0,
			0, 2, -3, 1, 0,
			0, -4, 0, 4, 0,
			0, 2, -1, -2, 1,
		}},
		4: {6, 6, []float32{
			4, 0, -5, 0, 1, 0,
			0, -4, -4, 1, 1, 0,
			0, 4, -4, -1, 1, 0,
			0, -2, -1, 2, 1, 0,
			0, 2, -1, -2, 1, 0,
			0, 4, 0, -5, 0, 1,
		}},
	}
	outputMatrices = [tileOut + 1]matrix{ // A^T, by the number of outputs
		1: {1, 3, []float32{
			1, 1, 1,
		}},
		2: {2, 4, []float32{
			1, 1, 1, 0,
			0, 1, -1, 1,
		}},
		3: {3, 5, []float32{
			1, 1, 1, 1, 0,
			0, 1, -1, 2, 0,
			0, 1, 1, 4, 1,
		}},
		4: {4, 6, []float32{
			1, 1, 1, 1, 1, 0,
			0, 1, -1, 2, -2, 0,
			0, 1, 1, 4, 4, 0,
			0, 1, -1, 8, -8, 1,
		}},
	}
	gradientMatrices = [tileOut + 1]matrix{ // A
		1: outputMatrices[1].transposed(),
		2: outputMatrices[2].transposed(),
		3: outputMatrices[3].transposed(),
		4: outputMatrices[4].transposed(),
	}
)

const (
	tileOut = 4              // side of the largest output tile
	edge    = 2              // extra rows and columns of an input tile
	side    = tileOut + edge // points per axis
	points  = side * side    // planes of a transformed tile
	taps    = 9              // of a filter
)

// point returns the i-th point for the given number of outputs.
func point(i, outputs int) int {
	if i == outputs+1 {
		return side - 1 // infinity
	}
	return i
}

type matrix struct {
	rows, columns int
	at            []float32
}

func (m matrix) transposed() matrix {
	t := matrix{m.columns, m.rows, make([]float32, len(m.at))}
	for i := range m.rows {
		for j := range m.columns {
			t.at[j*m.rows+i] = m.at[i*m.columns+j]
		}
	}
	return t
}

func (m matrix) row(i int) []float32 { return m.at[i*m.columns : (i+1)*m.columns] }

// octet is 8 adjacent channels to transform together.
type octet [8]float32

func (o *octet) add(f float32, x *octet) {
	for c := range o {
		o[c] += float32(f * x[c])
	}
}

// sandwich computes y = m x n^T for x of m.columns by n.columns, by row.
func sandwich(m, n matrix, y, x *[points]octet) {
	var half [points]octet
	for i := range m.rows {
		for p, f := range m.row(i) {
			if f == 0 {
				continue
			}
			for j := range n.columns {
				half[i*n.columns+j].add(f, &x[p*n.columns+j])
			}
		}
	}
	clear(y[:m.rows*n.rows])
	for j := range n.rows {
		for p, f := range n.row(j) {
			if f == 0 {
				continue
			}
			for i := range m.rows {
				y[i*n.rows+j].add(f, &half[i*n.columns+p])
			}
		}
	}
}

// cell locates a tile's element in an image, with 0 beyond the board.
type cell struct {
	offset uint32 // bytes from the image's first float; 0 beyond the board
	mask   uint32 // all ones on the board, else 0
}

// tile is a part of the output and its inputs.
type tile struct {
	rows, columns int    // of the output, 1 to tileOut
	offset        int    // of its first float
	row, column   int    // distances in the output, in floats
	input         []cell // [columns+edge][rows+edge]: in an input image
	gradient      []cell // [columns][rows]: in an output image
}

// gatherGo reads a tile from an image, transforms its first channels by the matrices for its rows and columns, and
// writes them to the planes of its points:
//
//	d[p, q] = src[cells[q, p].offset/4 + channel], or 0 beyond the board
//	dst[(point(i)*side + point(j))*plane + channel] = (m d n^T)[i, j]
func gatherGo(matrices *[tileOut + 1]matrix, dst []float32, plane int, src []float32, t *tile, cells []cell, channels int) {
	m, n := matrices[t.rows], matrices[t.columns]
	var x, y [points]octet
	for channel := 0; channel < channels; channel += len(octet{}) {
		together := min(len(octet{}), channels-channel)
		for q := range n.columns {
			for p := range m.columns {
				c, to := cells[q*m.columns+p], &x[p*n.columns+q]
				if c.mask != 0 {
					copy(to[:together], src[int(c.offset)/4+channel:])
				} else {
					clear(to[:])
				}
			}
		}
		sandwich(m, n, &y, &x)
		for i := range m.rows {
			for j := range n.rows {
				copy(dst[(point(i, t.rows)*side+point(j, t.columns))*plane+channel:], y[i*n.rows+j][:together])
			}
		}
	}
}

// scatterGo transforms a tile's first channels from planes into an image, and applies the epilogue:
//
//	y = A^T m A with m[i, j] = src[(point(i)*side + point(j))*plane + channel]
//	dst[...] = relu(y[...] + bias[channel] + residual[...]), or 0 where mask[...] is not above 0
func scatterGo(dst []float32, t *tile, src []float32, plane int, e epilogue, channels int) {
	m, n := outputMatrices[t.rows], outputMatrices[t.columns]
	var x, y [points]octet
	for channel := 0; channel < channels; channel += len(octet{}) {
		together := min(len(octet{}), channels-channel)
		for i := range m.columns {
			for j := range n.columns {
				copy(x[i*n.columns+j][:together], src[(point(i, t.rows)*side+point(j, t.columns))*plane+channel:])
			}
		}
		sandwich(m, n, &y, &x)
		for i := range t.rows {
			for j := range t.columns {
				to := t.offset + i*t.row + j*t.column + channel
				e.finish(dst, to, channel, y[i*t.columns+j][:together])
			}
		}
	}
}

// finish applies the epilogue to adjacent channels, from channel on, and stores them at dst[to:].
func (e *epilogue) finish(dst []float32, to, channel int, values []float32) {
	for c, v := range values {
		if e.bias != nil {
			v += e.bias[channel+c]
		}
		if e.residual != nil {
			v += e.residual[to+c]
		}
		if e.relu {
			v = positive(v)
		}
		if e.mask != nil && !(e.mask[to+c] > 0) {
			v = 0
		}
		dst[to+c] = v
	}
}

// planesGo transforms n elements in planes: dst[i*dstPlane + e] = (m x m^T)[i] with x[i] = src[i*srcPlane + e].
func planesGo(m matrix, dst []float32, dstPlane int, src []float32, srcPlane, n int) {
	var x, y [points]octet
	for e := 0; e < n; e += len(octet{}) {
		together := min(len(octet{}), n-e)
		for i := range m.columns * m.columns {
			copy(x[i][:together], src[i*srcPlane+e:])
		}
		sandwich(m, m, &y, &x)
		for i := range m.rows * m.rows {
			copy(dst[i*dstPlane+e:], y[i][:together])
		}
	}
}

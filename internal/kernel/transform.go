package kernel

import "tengen/internal/kernel/winograd"

const (
	tileOut = winograd.Outputs
	edge    = 2 // extra rows and columns of an input tile
	side    = winograd.Points
	points  = side * side // planes of a transformed tile
	taps    = 9           // of a filter
)

// octet is 8 adjacent channels to transform together.
type octet [8]float32

func (o *octet) add(f float32, x *octet) {
	for c := range o {
		o[c] += float32(f * x[c])
	}
}

// sandwich computes y = m x n^T for x of m.Columns() by n.Columns(), by row.
func sandwich(m, n winograd.Matrix, y, x *[points]octet) {
	var half [points]octet
	for i := range m.Rows() {
		for p, f := range m[i] {
			if f == 0 {
				continue
			}
			for j := range n.Columns() {
				half[i*n.Columns()+j].add(f, &x[p*n.Columns()+j])
			}
		}
	}
	clear(y[:m.Rows()*n.Rows()])
	for j := range n.Rows() {
		for p, f := range n[j] {
			if f == 0 {
				continue
			}
			for i := range m.Rows() {
				y[i*n.Rows()+j].add(f, &half[i*n.Columns()+p])
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
//	dst[(winograd.Point(i)*side + winograd.Point(j))*plane + channel] = (m d n^T)[i, j]
func gatherGo(matrices *[tileOut + 1]winograd.Matrix, dst []float32, plane int, src []float32, t *tile, cells []cell, channels int) {
	m, n := matrices[t.rows], matrices[t.columns]
	var x, y [points]octet
	for channel := 0; channel < channels; channel += len(octet{}) {
		together := min(len(octet{}), channels-channel)
		for q := range n.Columns() {
			for p := range m.Columns() {
				c, to := cells[q*m.Columns()+p], &x[p*n.Columns()+q]
				if c.mask != 0 {
					copy(to[:together], src[int(c.offset)/4+channel:])
				} else {
					clear(to[:])
				}
			}
		}
		sandwich(m, n, &y, &x)
		for i := range m.Rows() {
			for j := range n.Rows() {
				copy(dst[(winograd.Point(i, t.rows)*side+winograd.Point(j, t.columns))*plane+channel:], y[i*n.Rows()+j][:together])
			}
		}
	}
}

// scatterGo transforms a tile's first channels from planes into an image, and applies the epilogue:
//
//	y = A^T m A with m[i, j] = src[(winograd.Point(i)*side + winograd.Point(j))*plane + channel]
//	dst[...] = relu(y[...] + bias[channel] + residual[...]), or 0 where mask[...] is not above 0
func scatterGo(dst []float32, t *tile, src []float32, plane int, e epilogue, channels int) {
	m, n := winograd.Output[t.rows], winograd.Output[t.columns]
	var x, y [points]octet
	for channel := 0; channel < channels; channel += len(octet{}) {
		together := min(len(octet{}), channels-channel)
		for i := range m.Columns() {
			for j := range n.Columns() {
				copy(x[i*n.Columns()+j][:together], src[(winograd.Point(i, t.rows)*side+winograd.Point(j, t.columns))*plane+channel:])
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
func planesGo(m winograd.Matrix, dst []float32, dstPlane int, src []float32, srcPlane, n int) {
	var x, y [points]octet
	for e := 0; e < n; e += len(octet{}) {
		together := min(len(octet{}), n-e)
		for i := range m.Columns() * m.Columns() {
			copy(x[i][:together], src[i*srcPlane+e:])
		}
		sandwich(m, m, &y, &x)
		for i := range m.Rows() * m.Rows() {
			copy(dst[i*dstPlane+e:], y[i][:together])
		}
	}
}

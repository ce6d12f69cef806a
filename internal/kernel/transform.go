package kernel

// The matrices of Winograd's minimal filtering F(4x4, 3x3) (Lavin, Gray 2016, "Fast Algorithms for Convolutional Neural
// Networks", section 4.1): with the elementwise product .*,
//
//	Y = A^T [ (G g G^T) .* (B^T d B) ] A
//
// is the 4x4 output of a 3x3 filter g on a 6x6 tile d, with 36 products instead of 144.
var (
	inputMatrix = matrix{6, 6, []float32{ // B^T
		4, 0, -5, 0, 1, 0,
		0, -4, -4, 1, 1, 0,
		0, 4, -4, -1, 1, 0,
		0, -2, -1, 2, 1, 0,
		0, 2, -1, -2, 1, 0,
		0, 4, 0, -5, 0, 1,
	}}
	filterMatrix = matrix{6, 3, []float32{ // G
		1. / 4, 0, 0,
		-1. / 6, -1. / 6, -1. / 6,
		-1. / 6, 1. / 6, -1. / 6,
		1. / 24, 1. / 12, 1. / 6,
		1. / 24, -1. / 12, 1. / 6,
		0, 0, 1,
	}}
	outputMatrix = matrix{4, 6, []float32{ // A^T
		1, 1, 1, 1, 1, 0,
		0, 1, -1, 2, -2, 0,
		0, 1, 1, 4, 4, 0,
		0, 1, -1, 8, -8, 1,
	}}
	gradientMatrix       = outputMatrix.transposed() // A
	filterGradientMatrix = filterMatrix.transposed() // G^T
)

const (
	tileIn  = 6 // side of the tile of the input that makes a tile of the output
	tileOut = 4
	points  = tileIn * tileIn // planes of a transformed tile
	taps    = 9               // of a filter
)

// matrix is a small constant matrix, row by row.
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

// sandwich computes y = m x m^T for square x and y, stored row by row.
func (m matrix) sandwich(y, x *[points]float32) {
	var half [points]float32
	for i := range m.rows {
		for j := range m.columns {
			sum := float32(0)
			for p := range m.columns {
				if f := m.at[i*m.columns+p]; f != 0 {
					sum += f * x[p*m.columns+j]
				}
			}
			half[i*m.columns+j] = sum
		}
	}
	for i := range m.rows {
		for j := range m.rows {
			sum := float32(0)
			for p := range m.columns {
				if f := m.at[j*m.columns+p]; f != 0 {
					sum += half[i*m.columns+p] * f
				}
			}
			y[i*m.rows+j] = sum
		}
	}
}

// cell is one element of a tile that is read from an image: where it is, or that it lies beyond the board and counts as 0.
type cell struct {
	offset uint32 // of its first channel from the image's first float, in bytes; 0 beyond the board
	mask   uint32 // all ones on the board, else 0
}

// place is where a tile of the output goes in an image.
type place struct {
	offset        int // of the tile's first float from the image's
	row, column   int // distance from one row of the image to the next, and from one column to the next, in floats
	rows, columns int // how much of the tile lies on the board, 1 to 4 each way
}

// gatherGo reads a tile of an image, transforms each channel from the first to the last, and writes it to planes of dst:
//
//	d[i] = src[cells[i].offset/4 + channel], or 0 beyond the board
//	dst[i*plane + channel] = (m d m^T)[i]
func gatherGo(m matrix, dst []float32, plane int, src []float32, cells []cell, first, last int) {
	var x, y [points]float32
	for channel := first; channel < last; channel++ {
		for i, c := range cells {
			x[i] = 0
			if c.mask != 0 {
				x[i] = src[int(c.offset)/4+channel]
			}
		}
		m.sandwich(&y, &x)
		for i := range m.rows * m.rows {
			dst[i*plane+channel] = y[i]
		}
	}
}

// scatterGo transforms each channel of a tile from planes of src into an image, finished by bias, residual (an image like
// dst, or nil) and ReLU:
//
//	y = A^T m A with m[i] = src[i*plane + channel]
//	dst[...] = relu(y[...] + bias[channel] + residual[...])
func scatterGo(dst []float32, at *place, src []float32, plane int, bias, residual []float32, relu bool, first, last int) {
	var x, y [points]float32
	for channel := first; channel < last; channel++ {
		for i := range points {
			x[i] = src[i*plane+channel]
		}
		outputMatrix.sandwich(&y, &x)
		for i := range at.rows {
			for j := range at.columns {
				to := at.offset + i*at.row + j*at.column + channel
				v := y[i*tileOut+j]
				if bias != nil {
					v += bias[channel]
				}
				if residual != nil {
					v += residual[to]
				}
				if relu {
					v = positive(v)
				}
				dst[to] = v
			}
		}
	}
}

// planesGo transforms n elements that lie in planes: dst[i*dstPlane + e] = (m x m^T)[i] with x[i] = src[i*srcPlane + e].
func planesGo(m matrix, dst []float32, dstPlane int, src []float32, srcPlane, n int) {
	var x, y [points]float32
	for e := range n {
		for i := range m.columns * m.columns {
			x[i] = src[i*srcPlane+e]
		}
		m.sandwich(&y, &x)
		for i := range m.rows * m.rows {
			dst[i*dstPlane+e] = y[i]
		}
	}
}

// Package winograd has the matrices of Winograd's minimal filtering F(n x n, 3x3) (Lavin, Gray 2016, section 4.1), for n
// up to 4. Package kernel computes with them, and lab/gen-kernels writes assembly from them.
//
// With the elementwise product .*,
//
//	Y = A^T [ (G g G^T) .* (B^T d B) ] A
//
// is the n x n output of a 3x3 filter g on a tile d of n+2 by n+2. For n = 4 it takes 36 products instead of 144.
//
// A row of G evaluates the filter, as a polynomial, at one of the points 0, 1, -1, 2, -2 and infinity. n outputs need
// the first n+1 points and infinity. G is the same for all n, so tiles of all sizes share the transformed filter; B
// contains the remaining factors.
package winograd

const (
	Outputs = 4           // side of the largest output tile
	Points  = Outputs + 2 // for each axis of it
)

// Matrix holds rows of equal length.
type Matrix [][]float32

// Rows returns the number of rows.
func (m Matrix) Rows() int { return len(m) }

// Columns returns the number of columns.
func (m Matrix) Columns() int { return len(m[0]) }

func (m Matrix) transposed() Matrix {
	t := make(Matrix, m.Columns())
	for i := range t {
		for _, row := range m {
			t[i] = append(t[i], row[i])
		}
	}
	return t
}

// Point returns the i-th point of those for a number of outputs, as an index below Points.
func Point(i, outputs int) int {
	if i == outputs+1 {
		return Points - 1 // infinity
	}
	return i
}

// The matrices of the transforms.
var (
	Filter = Matrix{ // G
		{1. / 4, 0, 0},
		{-1. / 6, -1. / 6, -1. / 6},
		{-1. / 6, 1. / 6, -1. / 6},
		{1. / 24, 1. / 12, 1. / 6},
		{1. / 24, -1. / 12, 1. / 6},
		{0, 0, 1},
	}
	FilterGradient = Filter.transposed() // G^T

	Input = [Outputs + 1]Matrix{ // B^T, by the number of outputs
		1: {
			{4, -4, 0},
			{0, -6, 0},
			{0, -1, 1},
		},
		2: {
			{4, 0, -4, 0},
			{0, -3, -3, 0},
			{0, 3, -3, 0},
			{0, -1, 0, 1},
		},
		3: {
			{4, -2, -4, 2, 0},
			{0, -6, -3, 3, 0},
			{0, 2, -3, 1, 0},
			{0, -4, 0, 4, 0},
			{0, 2, -1, -2, 1},
		},
		4: {
			{4, 0, -5, 0, 1, 0},
			{0, -4, -4, 1, 1, 0},
			{0, 4, -4, -1, 1, 0},
			{0, -2, -1, 2, 1, 0},
			{0, 2, -1, -2, 1, 0},
			{0, 4, 0, -5, 0, 1},
		},
	}
	Output = [Outputs + 1]Matrix{ // A^T, by the number of outputs
		1: {
			{1, 1, 1},
		},
		2: {
			{1, 1, 1, 0},
			{0, 1, -1, 1},
		},
		3: {
			{1, 1, 1, 1, 0},
			{0, 1, -1, 2, 0},
			{0, 1, 1, 4, 1},
		},
		4: {
			{1, 1, 1, 1, 1, 0},
			{0, 1, -1, 2, -2, 0},
			{0, 1, 1, 4, 4, 0},
			{0, 1, -1, 8, -8, 1},
		},
	}
	Gradient = [Outputs + 1]Matrix{ // A, by the number of outputs
		1: Output[1].transposed(),
		2: Output[2].transposed(),
		3: Output[3].transposed(),
		4: Output[4].transposed(),
	}
)

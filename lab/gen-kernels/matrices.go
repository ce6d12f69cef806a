package main

// matrix holds the rows of a transform, as in package kernel.
type matrix [][]float32

// tileOut is the side of the largest output tile, side its points per axis.
const (
	tileOut = 4
	side    = 6
)

var (
	filterMatrix = matrix{
		{1. / 4, 0, 0},
		{-1. / 6, -1. / 6, -1. / 6},
		{-1. / 6, 1. / 6, -1. / 6},
		{1. / 24, 1. / 12, 1. / 6},
		{1. / 24, -1. / 12, 1. / 6},
		{0, 0, 1},
	}
	filterGradientMatrix = transpose(filterMatrix)

	// By the number of outputs.
	inputMatrices = [tileOut + 1]matrix{
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
	outputMatrices = [tileOut + 1]matrix{
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
	gradientMatrices = [tileOut + 1]matrix{
		1: transpose(outputMatrices[1]),
		2: transpose(outputMatrices[2]),
		3: transpose(outputMatrices[3]),
		4: transpose(outputMatrices[4]),
	}
)

func point(i, outputs int) int {
	if i == outputs+1 {
		return side - 1
	}
	return i
}

func transpose(m matrix) matrix {
	t := make(matrix, len(m[0]))
	for i := range t {
		for j := range m {
			t[i] = append(t[i], m[j][i])
		}
	}
	return t
}

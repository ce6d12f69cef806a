package main

// The functions' parameters and documentation.
const (
	gemmSignature = "(m, k int, a *float32, rowA, colA uintptr, b *float32, ldb uintptr, c *float32, ldc uintptr, " +
		"bias *float32, mode int)"
	// ahead is the distance from b to the memory that the product asks for as it reads b.
	gemmAheadSignature = "(m, k int, a *float32, rowA, colA uintptr, b *float32, ldb uintptr, c *float32, ldc uintptr, " +
		"bias *float32, mode int, ahead uintptr)"

	gatherSignature = "(dst *float32, plane uintptr, src *float32, cells *uint32, rows, columns, n int)"
	gatherDoc       = "is gatherGo for n channels, a multiple of the lanes."

	scatterSignature = "(dst *float32, row, column uintptr, rows, columns int, src *float32, plane uintptr, " +
		"bias, residual, mask *float32, relu, n int)"
	scatterDoc = "is scatterGo for n channels, a multiple of the lanes."

	planesSignature = "(dst *float32, dstPlane uintptr, src *float32, srcPlane uintptr, n int)"
	planesDoc       = "is planesGo for n elements, a multiple of the lanes."

	reluGradientSignature = "(dst, y, grad *float32, n int)"
	reluGradientDoc       = "is the loop of ReLUGradient for n elements, a multiple of the lanes."
)

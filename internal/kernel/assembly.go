//go:build (amd64 || arm64) && !noasm

package kernel

import "unsafe"

//go:generate go run -C ../../lab ./gen-kernels -out ../internal/kernel/vectors_amd64.s -stubs ../internal/kernel/vectors_amd64.go -pkg kernel

// assembly completes v with functions from lab/gen-kernels for whole registers. rest processes the channels that are
// left.
func assembly(
	v vectors, rest *vectors,
	gatherInput, gatherGradient func(dst *float32, plane uintptr, src *float32, cells *uint32, rows, columns, n int),
	scatter func(dst *float32, row, column uintptr, rows, columns int, src *float32, plane uintptr,
		bias, residual, mask *float32, relu, n int),
	filter, filterGradient func(dst *float32, dstPlane uintptr, src *float32, srcPlane uintptr, n int),
	reluGradient func(dst, y, grad *float32, n int),
) *vectors {
	v.gatherInput = func(dst []float32, plane int, src []float32, t *tile, n int) {
		whole := n &^ (v.lanes - 1)
		if whole > 0 {
			gatherInput(&dst[0], size(plane), &src[0], &t.input[0].offset, t.rows, t.columns, whole)
		}
		if whole < n {
			rest.gatherInput(dst[whole:], plane, src[whole:], t, n-whole)
		}
	}
	v.gatherGradient = func(dst []float32, plane int, src []float32, t *tile, n int) {
		whole := n &^ (v.lanes - 1)
		if whole > 0 {
			gatherGradient(&dst[0], size(plane), &src[0], &t.gradient[0].offset, t.rows, t.columns, whole)
		}
		if whole < n {
			rest.gatherGradient(dst[whole:], plane, src[whole:], t, n-whole)
		}
	}
	v.scatterOutput = func(dst []float32, t *tile, src []float32, plane int, e epilogue, n int) {
		whole := n &^ (v.lanes - 1)
		if whole > 0 {
			scatter(&dst[t.offset], size(t.row), size(t.column), t.rows, t.columns, &src[0], size(plane),
				from(e.bias, 0), from(e.residual, t.offset), from(e.mask, t.offset), flag(e.relu), whole)
		}
		if whole < n {
			rest.scatterOutput(dst[whole:], t, src[whole:], plane, e.from(whole), n-whole)
		}
	}
	v.filter = func(dst []float32, dstPlane int, src []float32, srcPlane, n int) {
		filter(&dst[0], size(dstPlane), &src[0], size(srcPlane), n)
	}
	v.filterGradient = func(dst []float32, dstPlane int, src []float32, srcPlane, n int) {
		filterGradient(&dst[0], size(dstPlane), &src[0], size(srcPlane), n)
	}
	v.reluGradient = func(dst, y, grad []float32, n int) {
		whole := n &^ (v.lanes - 1)
		if whole > 0 {
			reluGradient(&dst[0], &y[0], &grad[0], whole)
		}
		if whole < n {
			rest.reluGradient(dst[whole:], y[whole:], grad[whole:], n-whole)
		}
	}
	return &v
}

func size(n int) uintptr { return uintptr(n) * unsafe.Sizeof(float32(0)) }

func from(s []float32, i int) *float32 {
	if s == nil {
		return nil
	}
	return &s[i]
}

func flag(b bool) int {
	if b {
		return 1
	}
	return 0
}

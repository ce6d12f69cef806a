//go:build (amd64 || arm64) && !noasm

package kernel

import "unsafe"

//go:generate sh -c "cd gen && go run . -out ../vectors_amd64.s -stubs ../vectors_amd64.go -pkg kernel"

// assembly completes v with functions from gen.
func assembly(
	v vectors,
	gatherInput, gatherGradient func(dst *float32, plane uintptr, src *float32, cells *uint32, rows, columns, n int),
	scatter func(dst *float32, row, column uintptr, rows, columns int, src *float32, plane uintptr,
		bias, residual, mask *float32, relu, n int),
	filter, filterGradient func(dst *float32, dstPlane uintptr, src *float32, srcPlane uintptr, n int),
	reluGradient func(dst, y, grad *float32, n int),
) *vectors {
	v.gatherInput = func(dst []float32, plane int, src []float32, t *tile, n int) {
		gatherInput(&dst[0], size(plane), &src[0], &t.input[0].offset, t.rows, t.columns, n)
	}
	v.gatherGradient = func(dst []float32, plane int, src []float32, t *tile, n int) {
		gatherGradient(&dst[0], size(plane), &src[0], &t.gradient[0].offset, t.rows, t.columns, n)
	}
	v.scatterOutput = func(dst []float32, t *tile, src []float32, plane int, e ending, n int) {
		scatter(&dst[t.offset], size(t.row), size(t.column), t.rows, t.columns, &src[0], size(plane),
			from(e.bias, 0), from(e.residual, t.offset), from(e.mask, t.offset), flag(e.relu), n)
	}
	v.filter = func(dst []float32, dstPlane int, src []float32, srcPlane, n int) {
		filter(&dst[0], size(dstPlane), &src[0], size(srcPlane), n)
	}
	v.filterGradient = func(dst []float32, dstPlane int, src []float32, srcPlane, n int) {
		filterGradient(&dst[0], size(dstPlane), &src[0], size(srcPlane), n)
	}
	v.reluGradient = func(dst, y, grad []float32, n int) { reluGradient(&dst[0], &y[0], &grad[0], n) }
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

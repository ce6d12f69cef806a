//go:build !noasm

package kernel

import (
	"unsafe"

	"golang.org/x/sys/cpu"
)

//go:generate sh -c "cd gen && go run . -out ../vectors_amd64.s -stubs ../vectors_amd64.go -pkg kernel"

// detect lists this processor's instruction sets, the fastest first.
func detect() []*vectors {
	list := []*vectors{plain}
	if cpu.X86.HasAVX2 && cpu.X86.HasFMA {
		list = append([]*vectors{avx2}, list...)
	}
	if cpu.X86.HasAVX512F && cpu.X86.HasAVX512VL && cpu.X86.HasAVX512BW && cpu.X86.HasAVX512DQ {
		list = append([]*vectors{avx512}, list...)
	}
	return list
}

var avx2 = assembly(vectors{
	name:  "avx2",
	lanes: 8,
	gemm: func(m, n, k int, a []float32, rowA, colA int, b []float32, ldb int, c []float32, ldc int, bias []float32, mode mode) {
		for j := 0; j < n; j += 16 {
			gemm16AVX2(m, k, &a[0], size(rowA), size(colA), &b[j], size(ldb), &c[j], size(ldc), from(bias, j), int(mode))
		}
	},
	peak:     peakAVX2,
	prefetch: prefetchAVX2,
}, gatherInputAVX2, gatherGradientAVX2, scatterOutputAVX2, filterAVX2, filterGradientAVX2, reluGradientAVX2)

var avx512 = assembly(vectors{
	name:  "avx512",
	lanes: 16,
	gemm: func(m, n, k int, a []float32, rowA, colA int, b []float32, ldb int, c []float32, ldc int, bias []float32, mode mode) {
		j := 0
		if n%32 != 0 && n >= 48 {
			gemm48AVX512(m, k, &a[0], size(rowA), size(colA), &b[0], size(ldb), &c[0], size(ldc), from(bias, 0), int(mode))
			j = 48
		}
		for ; j+32 <= n; j += 32 {
			gemm32AVX512(m, k, &a[0], size(rowA), size(colA), &b[j], size(ldb), &c[j], size(ldc), from(bias, j), int(mode))
		}
		if j < n {
			gemm16AVX512(m, k, &a[0], size(rowA), size(colA), &b[j], size(ldb), &c[j], size(ldc), from(bias, j), int(mode))
		}
	},
	peak:     peakAVX512,
	prefetch: prefetchAVX512,
}, gatherInputAVX512, gatherGradientAVX512, scatterOutputAVX512, filterAVX512, filterGradientAVX512, reluGradientAVX512)

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

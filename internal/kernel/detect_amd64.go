//go:build !noasm

package kernel

import "golang.org/x/sys/cpu"

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
	name:       "avx2",
	lanes:      8,
	chunkBytes: chunkBytes,
	gemm: func(m, n, k int, a []float32, rowA, colA int, b []float32, ldb int, c []float32, ldc int, bias []float32, mode mode) {
		for j := 0; j < n; j += 16 {
			gemm16AVX2(m, k, &a[0], size(rowA), size(colA), &b[j], size(ldb), &c[j], size(ldc),
				from(bias, j), int(mode), ahead(j, 16, n, k, ldb))
		}
	},
	peak:     peakAVX2,
	prefetch: prefetchAVX2,
}, plain, gatherInputAVX2, gatherGradientAVX2, scatterOutputAVX2, filterAVX2, filterGradientAVX2, reluGradientAVX2)

var avx512 = assembly(vectors{
	name:       "avx512",
	lanes:      16,
	chunkBytes: wideChunkBytes,
	gemm: func(m, n, k int, a []float32, rowA, colA int, b []float32, ldb int, c []float32, ldc int, bias []float32, mode mode) {
		j := 0
		if n%32 != 0 && n >= 48 {
			gemm48AVX512(m, k, &a[0], size(rowA), size(colA), &b[0], size(ldb), &c[0], size(ldc),
				from(bias, 0), int(mode), ahead(0, 48, n, k, ldb))
			j = 48
		}
		for ; j+32 <= n; j += 32 {
			gemm32AVX512(m, k, &a[0], size(rowA), size(colA), &b[j], size(ldb), &c[j], size(ldc),
				from(bias, j), int(mode), ahead(j, 32, n, k, ldb))
		}
		if j < n {
			gemm16AVX512(m, k, &a[0], size(rowA), size(colA), &b[j], size(ldb), &c[j], size(ldc),
				from(bias, j), int(mode), ahead(j, 16, n, k, ldb))
		}
	},
	peak:     peakAVX512,
	prefetch: prefetchAVX512,
}, avx2, gatherInputAVX512, gatherGradientAVX512, scatterOutputAVX512, filterAVX512, filterGradientAVX512, reluGradientAVX512)

// ahead returns the distance from columns j to j+width-1 of a product's b, [k, n], to what it reads next: the columns
// after them, or the next filter's first ones. Columns too long for the first-level cache are read a few rows ahead.
func ahead(j, width, n, k, ldb int) uintptr {
	const longest, rows = 128, 8
	switch {
	case k > longest:
		return size(rows * ldb)
	case j+width < n:
		return size(width)
	}
	return size(k*ldb - j)
}

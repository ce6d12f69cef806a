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

//go:build !noasm

package kernel

// detect lists the instruction sets. Every arm64 processor has NEON.
func detect() []*vectors { return []*vectors{neon, plain} }

// neon processes 8 floats in two registers, so that plain Go computes the same channels as beside AVX2.
var neon = assembly(vectors{
	name:       "neon",
	lanes:      8,
	chunkBytes: chunkBytes,
	gemm: func(m, n, k int, a []float32, rowA, colA int, b []float32, ldb int, c []float32, ldc int, bias []float32, mode mode) {
		for j := 0; j < n; j += 8 {
			gemm8NEON(m, k, &a[0], size(rowA), size(colA), &b[j], size(ldb), &c[j], size(ldc), from(bias, j), int(mode))
		}
	},
	peak: peakNEON,
	prefetch: func(s []float32) {
		if len(s) > 0 {
			prefetchNEON(&s[0], len(s))
		}
	},
}, plain, gatherInputNEON, gatherGradientNEON, scatterOutputNEON, filterNEON, filterGradientNEON, reluGradientNEON)

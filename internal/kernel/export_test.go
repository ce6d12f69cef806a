package kernel

// MultiplyAdd computes c += a b, like Multiply but starting each sum with c[i*ldc+j].
func MultiplyAdd(m, n, k int, a []float32, rowA, colA int, b []float32, ldb int, c []float32, ldc int) {
	gemm(m, n, k, a, rowA, colA, b, ldb, c, ldc, nil, accumulate)
}

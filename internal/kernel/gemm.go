package kernel

import "fmt"

type mode int

const (
	accumulate mode = 1 << iota // add to c
	rectify                     // negative results become 0
)

// Multiply computes c = a b, with the terms of each sum in order:
//
//	for i := range m {
//		for j := range n {
//			sum := float32(0)
//			for p := range k {
//				sum += a[i*rowA+p*colA] * b[p*ldb+j]
//			}
//			c[i*ldc+j] = sum
//		}
//	}
//
// a may be transposed, or broadcast with a stride of 0. b and c must not overlap.
func Multiply(m, n, k int, a []float32, rowA, colA int, b []float32, ldb int, c []float32, ldc int) {
	gemm(m, n, k, a, rowA, colA, b, ldb, c, ldc, nil, 0)
}

// Dense computes y = x w^T + bias, x [m, in] and y [m, out]. With relu, negative results become 0. filter and bias
// come from PackDense; scratch has DenseScratch(m, out) floats.
func Dense(m, in, out int, x, filter, bias, y []float32, relu bool, scratch []float32) {
	need("y", y, m*out)
	if m == 0 {
		return
	}
	n, c := Pad(out), y
	if n > out {
		c = scratch
	}
	const terms = 512 // at a time, so that they stay in the first-level cache
	for first := 0; first < in; first += terms {
		var how mode
		if first > 0 {
			how |= accumulate
		}
		if relu && first+terms >= in {
			how |= rectify
		}
		for j := 0; j < n; j += Lanes {
			gemm(m, Lanes, min(terms, in-first), x[first:], in, 1, filter[j*in+first*Lanes:], Lanes, c[j:], n, bias[j:], how)
		}
	}
	if n > out {
		for i := range m {
			copy(y[i*out:(i+1)*out], scratch[i*n:])
		}
	}
}

// DenseScratch returns the size of Dense's scratch.
func DenseScratch(m, out int) int {
	if Pad(out) == out {
		return 0
	}
	return m * Pad(out)
}

// PackDense transposes some rows of a weight [out, in], one of several equal portions, into filter [Pad(out)/Lanes, in,
// Lanes], in the order in which products read it. It copies their part of bias [out] into padded [Pad(out)]. Both are
// padded with zeros. Concurrent calls may pack different parts.
func PackDense(in, out int, weight, bias, filter, padded []float32, portion, portions int) {
	n := Pad(out)
	need("the weight", weight, in*out)
	need("the bias", bias, out)
	need("the packed filter", filter, in*n)
	need("the padded bias", padded, n)
	first, end := n/Lanes*portion/portions*Lanes, n/Lanes*(portion+1)/portions*Lanes
	last := min(out, end)
	clear(filter[in*max(first, last/Lanes*Lanes) : in*end])
	clear(padded[first:end])
	for o := first; o < last; o++ {
		padded[o] = bias[o]
		to := o/Lanes*Lanes*in + o%Lanes
		for _, w := range weight[o*in : (o+1)*in] {
			filter[to] = w
			to += Lanes
		}
	}
}

// gemm computes c = bias + a b, or c += a b with accumulate. bias has n floats or is nil.
func gemm(m, n, k int, a []float32, rowA, colA int, b []float32, ldb int, c []float32, ldc int, bias []float32, mode mode) {
	if m <= 0 || n <= 0 {
		return
	}
	if min(k, rowA, colA, ldb, ldc) < 0 || len(c) < (m-1)*ldc+n || bias != nil && len(bias) < n ||
		k > 0 && (len(a) < (m-1)*rowA+(k-1)*colA+1 || len(b) < (k-1)*ldb+n) {
		panic(fmt.Sprintf("kernel: product %dx%dx%d of %d and %d floats into %d, strides %d, %d, %d, %d",
			m, n, k, len(a), len(b), len(c), rowA, colA, ldb, ldc))
	}
	whole := 0
	if active.gemm != nil && k > 0 {
		whole = n / Lanes * Lanes
	}
	if whole > 0 {
		active.gemm(m, whole, k, a, rowA, colA, b, ldb, c, ldc, bias, mode)
	}
	if whole > 0 && whole < n && mode&accumulate == 0 {
		// The last register overlaps the previous one; recomputed columns get the same bits.
		j := n - Lanes
		active.gemm(m, Lanes, k, a, rowA, colA, b[j:], ldb, c[j:], ldc, tail(bias, j), mode)
		whole = n
	}
	if whole < n {
		gemmGo(m, n-whole, k, a, rowA, colA, b[min(whole, len(b)):], ldb, c[whole:], ldc, bias, mode)
	}
}

func tail(s []float32, i int) []float32 {
	if s == nil {
		return nil
	}
	return s[i:]
}

// gemmGo is gemm in plain Go.
func gemmGo(m, n, k int, a []float32, rowA, colA int, b []float32, ldb int, c []float32, ldc int, bias []float32, mode mode) {
	for i := range m {
		row := c[i*ldc : i*ldc+n]
		switch {
		case mode&accumulate != 0:
		case bias != nil:
			copy(row, bias)
		default:
			clear(row)
		}
		p := 0
		for ; p+4 <= k; p += 4 { // four terms per access to the row
			f0, f1, f2, f3 := a[i*rowA+p*colA], a[i*rowA+(p+1)*colA], a[i*rowA+(p+2)*colA], a[i*rowA+(p+3)*colA]
			b0, b1, b2, b3 := b[p*ldb:][:len(row)], b[(p+1)*ldb:][:len(row)], b[(p+2)*ldb:][:len(row)], b[(p+3)*ldb:][:len(row)]
			for j, sum := range row {
				row[j] = sum + float32(f0*b0[j]) + float32(f1*b1[j]) + float32(f2*b2[j]) + float32(f3*b3[j])
			}
		}
		for ; p < k; p++ {
			f := a[i*rowA+p*colA]
			for j, v := range b[p*ldb:][:len(row)] {
				row[j] += float32(f * v)
			}
		}
		if mode&rectify != 0 {
			for j, v := range row {
				row[j] = positive(v)
			}
		}
	}
}

// positive returns v, or 0 for negative v. It keeps NaN.
func positive(v float32) float32 {
	if v < 0 {
		return 0
	}
	return v
}

// ReLUGradient sets dst to grad where y is above 0, else to 0. Lengths must be equal; dst may be grad.
func ReLUGradient(dst, y, grad []float32) {
	if len(y) != len(dst) || len(grad) != len(dst) {
		panic(fmt.Sprintf("kernel: gradient of ReLU of %d and %d floats into %d", len(y), len(grad), len(dst)))
	}
	active.reluGradient(dst, y, grad, len(dst))
}

func reluGradientGo(dst, y, grad []float32, n int) {
	for i := range n {
		g := grad[i]
		if !(y[i] > 0) {
			g = 0
		}
		dst[i] = g
	}
}

// SumRows computes sums[j] = sum over i of x[i, j], for x [m, n].
func SumRows(m, n int, x, sums []float32) {
	gemm(1, n, m, one, 0, 0, x, n, sums, n, nil, 0)
}

var one = []float32{1}

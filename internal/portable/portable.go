// Package portable has functions of packages math and rand whose results have the same bits on every architecture.
// Package math uses assembly on some architectures. The compiler fuses a product and a sum where the processor can, but
// not if the product is converted explicitly, hence the conversions here.
//
// Packages math and rand use the same algorithms: FreeBSD's msun, Moshier's Cephes, Marsaglia's ziggurat.
package portable

import "math"

// ln2High + ln2Low is the logarithm of 2. ln2High times the exponent of any float64 is exact.
const (
	ln2High = 6.93147180369123816490e-01
	ln2Low  = 1.90821492927058770002e-10
)

// polynomial returns c[0] + c[1] x + c[2] x^2 and so on, by Horner's rule.
func polynomial(x float64, c ...float64) float64 {
	y := c[len(c)-1]
	for i := len(c) - 2; i >= 0; i-- {
		y = c[i] + float64(x*y)
	}
	return y
}

// Exp returns e^x.
func Exp(x float64) float64 {
	const (
		overflow  = 7.09782712893383973096e+02
		underflow = -7.45133219101941108420e+02
		tiny      = 1.0 / (1 << 28)
	)
	switch {
	case math.IsNaN(x):
		return x
	case x > overflow:
		return math.Inf(1)
	case x < underflow:
		return 0
	case -tiny < x && x < tiny:
		return 1 + x
	}
	k := int(float64(math.Log2E*x) + math.Copysign(0.5, x))
	high, low := x-float64(float64(k)*ln2High), float64(float64(k)*ln2Low)
	r := high - low
	t := float64(r * r)
	c := r - float64(t*polynomial(t, 1.66666666666666657415e-01, -2.77777777770155933842e-03, 6.61375632143793436117e-05,
		-1.65339022054652515390e-06, 4.13813679705723846039e-08))
	return math.Ldexp(1-((low-float64(r*c)/(2-c))-high), k)
}

// Log returns the natural logarithm of x.
func Log(x float64) float64 {
	switch {
	case math.IsNaN(x) || math.IsInf(x, 1):
		return x
	case x < 0:
		return math.NaN()
	case x == 0:
		return math.Inf(-1)
	}
	fraction, exponent := math.Frexp(x)
	if fraction < math.Sqrt2/2 {
		fraction *= 2
		exponent--
	}
	f, k := fraction-1, float64(exponent)
	s := f / (2 + f)
	s2 := float64(s * s)
	s4 := float64(s2 * s2)
	odd := s2 * polynomial(s4, 6.666666666666735130e-01, 2.857142874366239149e-01, 1.818357216161805012e-01,
		1.479819860511658591e-01)
	even := s4 * polynomial(s4, 3.999999999940941908e-01, 2.222219843214978396e-01, 1.531383769920937332e-01)
	square := float64(0.5 * f * f)
	r := float64(odd) + float64(even)
	return float64(k*ln2High) - ((square - (float64(s*(square+r)) + float64(k*ln2Low))) - f)
}

// Log1p returns the logarithm of 1+x, accurate for small x above 0 (Kahan).
func Log1p(x float64) float64 {
	y := 1 + float64(x)
	if y == 1 {
		return x
	}
	return Log(y) * x / (y - 1)
}

// Pow returns x^y for x and y of at least 0.
func Pow(x, y float64) float64 {
	switch {
	case x == 1 || y == 0:
		return 1
	case x == 0 || math.IsInf(x, 1) || math.IsNaN(x):
		return x
	case y >= 1<<63 && x < 1:
		return 0
	case y >= 1<<63:
		return math.Inf(1)
	case y == 0.5:
		return math.Sqrt(x)
	}
	whole, rest := math.Modf(y)
	if rest > 0.5 {
		rest--
		whole++
	}
	power := 1.0
	if rest != 0 {
		power = Exp(rest * Log(x))
	}
	// Multiply by x^whole, by successive squaring, with powers of two apart.
	exponent := 0
	square, squared := math.Frexp(x)
	for i := int64(whole); i != 0; i >>= 1 {
		if squared < -1<<12 || 1<<12 < squared {
			exponent += squared // no float64 is that small or large
			break
		}
		if i&1 == 1 {
			power *= square
			exponent += squared
		}
		square = float64(square * square)
		squared <<= 1
		if square < 0.5 {
			square *= 2
			squared--
		}
	}
	return math.Ldexp(power, exponent)
}

// Tanh returns the hyperbolic tangent of x.
func Tanh(x float64) float64 {
	switch size := math.Abs(x); {
	case size > 44:
		return math.Copysign(1, x)
	case size >= 0.625:
		return math.Copysign(1-2/(Exp(2*size)+1), x)
	case x == 0:
		return x
	}
	s := float64(x * x)
	p := polynomial(s, -1.61468768441708447952e3, -9.92877231001918586564e1, -9.64399179425052238628e-1)
	q := polynomial(s, 4.84406305325125486048e3, 2.23548839060100448583e3, 1.12811678491632931402e2, 1)
	return x + x*s*p/q
}

// Cos returns the cosine of x, from 0 to pi.
func Cos(x float64) float64 {
	octant := math.Floor(x * (4 / math.Pi))
	if octant == 1 || octant == 3 {
		octant++
	}
	const high, middle, low = 7.85398125648498535156e-1, 3.77489470793079817668e-8, 2.69515142907905952645e-15 // pi/4
	z := ((x - float64(octant*high)) - float64(octant*middle)) - float64(octant*low)
	s := float64(z * z)
	if octant == 2 {
		return -(z + float64(float64(z*s)*polynomial(s, -1.66666666666666307295e-1, 8.33333333332211858878e-3,
			-1.98412698295895385996e-4, 2.75573136213857245213e-6, -2.50507477628578072866e-8, 1.58962301576546568060e-10)))
	}
	y := 1 - float64(0.5*s) + float64(float64(s*s)*polynomial(s, 4.16666666666665929218e-2, -1.38888888888730564116e-3,
		2.48015872888517045348e-5, -2.75573141792967388112e-7, 2.08757008419747316778e-9, -1.13585365213876817300e-11))
	if octant == 4 {
		return -y
	}
	return y
}

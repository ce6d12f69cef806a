package mcts

import (
	"math"
	"math/rand/v2"

	"tengen/internal/portable"
)

// gamma draws from the gamma distribution of shape alpha, with the same bits on every architecture.
func gamma(alpha float64, rng *rand.Rand) float64 {
	switch {
	case alpha == 1:
		return portable.Exponential(rng)
	case alpha < 0.2:
		return gammaOfSmallShape(alpha, rng)
	}
	// Marsaglia, Tsang 2000, "A simple method for generating gamma variables".
	d, factor := alpha-1.0/3, 1.0
	if alpha < 1 {
		d++
		factor = portable.Pow(rng.Float64(), 1/alpha)
	}
	c := 1 / (3 * math.Sqrt(d))
	for {
		x := portable.Normal(rng)
		v := 1 + float64(x*c)
		if v <= 0 {
			continue
		}
		v = v * v * v
		u := rng.Float64()
		if u < 1-float64(0.0331*(x*x)*(x*x)) ||
			portable.Log(u) < float64(0.5*x*x)+float64(d*(1-float64(v)+portable.Log(v))) {
			return factor * d * v
		}
	}
}

// gammaOfSmallShape works in the space of logarithms (Liu, Martin, Syring 2015, "Simulating from a gamma distribution
// with small shape parameter").
func gammaOfSmallShape(alpha float64, rng *rand.Rand) float64 {
	lambda := 1/alpha - 1
	r := -portable.Log1p(1 / lambda / math.E)
	for {
		z := portable.Exponential(rng)
		if z >= -r {
			z += r
		} else {
			z = -portable.Exponential(rng) / lambda
		}
		variate := portable.Exp(-z / alpha)
		bound := -z
		if z < 0 {
			bound = -1 + float64(lambda*z)
		}
		if -z-variate-bound > -portable.Exponential(rng) {
			return variate
		}
	}
}

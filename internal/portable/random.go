package portable

import (
	"math"
	"math/rand/v2"
)

// ziggurat divides the area below a falling density, exp(-x) or exp(-x^2/2), into strips of equal area (Marsaglia,
// Tsang 2000, "The ziggurat method for generating random variables"). In a strip, a random integer j means the point
// x = j*width. The lowest strip, 0, contains the tail.
type ziggurat struct {
	sure   []uint32  // below this j, the whole height of the strip is below the density
	width  []float32 // x for j = 1
	height []float32 // the density at the strip's right end
}

// Where the tails start.
const (
	normalTail      = 3.442619855899
	exponentialTail = 7.69711747013104972
)

var (
	normal = newZiggurat(128, 1<<31, normalTail, 9.91256303526217e-3, normalDensity,
		func(y float64) float64 { return math.Sqrt(-2 * Log(y)) })
	exponential = newZiggurat(256, 1<<32, exponentialTail, 3.9496598225815571993e-3, exponentialDensity,
		func(y float64) float64 { return -Log(y) })
)

func normalDensity(x float64) float64      { return Exp(-0.5 * x * x) }
func exponentialDensity(x float64) float64 { return Exp(-x) }

// newZiggurat returns strips for integers below limit. inverse is the density's inverse function.
func newZiggurat(strips int, limit, tail, area float64, density, inverse func(float64) float64) *ziggurat {
	z := &ziggurat{make([]uint32, strips), make([]float32, strips), make([]float32, strips)}
	lowest := area / density(tail)
	z.sure[0], z.width[0], z.height[0] = uint32(tail/lowest*limit), float32(lowest/limit), 1
	x := tail
	for i := strips - 1; i > 0; i-- {
		z.width[i], z.height[i] = float32(x/limit), float32(density(x))
		if i > 1 {
			above := inverse(area/x + density(x))
			z.sure[i] = uint32(above / x * limit)
			x = above
		}
	}
	return z
}

// below reports whether a random height in strip i is below the given density.
func (z *ziggurat) below(density float64, i int, rng *rand.Rand) bool {
	part := float32(rng.Float64())
	return z.height[i]+float32(part*(z.height[i-1]-z.height[i])) < float32(density)
}

// Normal draws from the standard normal distribution. It is NormFloat64 of package rand.
func Normal(rng *rand.Rand) float64 {
	for {
		u := rng.Uint64()
		j, i := int32(u), int(u>>32&0x7f)
		x := float64(j) * float64(normal.width[i])
		switch {
		case uint32(max(j, -j)) < normal.sure[i]:
			return x
		case i == 0:
			return math.Copysign(normalTail+pastNormalTail(rng), x)
		case normal.below(normalDensity(x), i, rng):
			return x
		}
	}
}

func pastNormalTail(rng *rand.Rand) float64 {
	for {
		x := float64(-Log(rng.Float64()) * (1 / normalTail))
		y := -Log(rng.Float64())
		if y+y >= x*x {
			return x
		}
	}
}

// Exponential draws from the exponential distribution with mean 1. It is ExpFloat64 of package rand.
func Exponential(rng *rand.Rand) float64 {
	for {
		u := rng.Uint64()
		j, i := uint32(u), int(u>>32&0xff)
		x := float64(j) * float64(exponential.width[i])
		switch {
		case j < exponential.sure[i]:
			return x
		case i == 0:
			return exponentialTail - Log(rng.Float64())
		case exponential.below(exponentialDensity(x), i, rng):
			return x
		}
	}
}

package arena

import "math"

// z95 standard deviations to either side hold 95 % of the normal distribution.
const z95 = 1.959963984540054

// wilson is the score interval of Wilson (1927, "Probable inference, the law of succession, and statistical inference")
// that holds the true mean with a probability of 95 %, where n independent trials had the mean p:
//
//	(p + z²/2n ± z sqrt(p(1-p)/n + z²/4n²)) / (1 + z²/n)
//
// Unlike p ± z sqrt(p(1-p)/n) it stays within [0, 1] and is not empty at 0 and 1. No trials give [0, 1].
func wilson(p float64, n int) (low, high float64) {
	if n == 0 {
		return 0, 1
	}
	zz := z95 * z95 / float64(n)
	centre := p + zz/2
	reach := math.Sqrt(zz * (p*(1-p) + zz/4))
	low, high = (centre-reach)/(1+zz), (centre+reach)/(1+zz)
	// At the ends the formula gives exactly 0 and 1, floating point only nearly, and Elo tells the difference.
	if p == 0 {
		low = 0
	}
	if p == 1 {
		high = 1
	}
	return low, high
}

// Elo is the difference in rating that makes score, a share of the points in [0, 1], the one to expect:
//
//	-400 log10(1/score - 1)
//
// It is infinite at 0 and 1, and NaN for NaN.
func Elo(score float64) float64 {
	return 400 * math.Log10(score/(1-score)) // turned round, or an even score would give -0
}

package chart

import (
	"math"
	"strconv"

	"gonum.org/v1/plot"
)

// ticks marks an axis at round numbers, from the last that is not above low to the first that is not below high, which is
// above low.
func ticks(low, high float64) []plot.Tick {
	step, decimals := roundStep((high - low) / 5)
	const tolerance = 1e-6 // of a step: rounding errors at the ends
	first, last := math.Floor(low/step+tolerance), math.Ceil(high/step-tolerance)
	marks := make([]plot.Tick, 0, 8)
	for i := range int(last-first) + 1 {
		x := (first + float64(i)) * step
		marks = append(marks, plot.Tick{Value: x, Label: strconv.FormatFloat(x, 'f', decimals, 64)})
	}
	return marks
}

// roundStep is the smallest of 1, 2 and 5 times a power of ten that is not below x, which is above 0, and the decimals that
// its multiples are written with.
func roundStep(x float64) (step float64, decimals int) {
	exponent := math.Floor(math.Log10(x))
	for _, digit := range []float64{1, 2, 5} {
		if step = digit * math.Pow(10, exponent); step >= x {
			return step, max(0, -int(exponent))
		}
	}
	return math.Pow(10, exponent+1), max(0, -int(exponent)-1)
}

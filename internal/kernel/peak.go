package kernel

// peakSums is the number of independent sums in Peak.
const peakSums = 12

// Peak measures a core's peak speed: it multiplies and adds n times, n above 0, in several registers, and returns the
// number of floating-point operations.
func Peak(n int) (operations float64) {
	if n < 1 {
		panic("kernel: Peak of no rounds")
	}
	if active.peak != nil {
		active.peak(n)
		return 2 * peakSums * float64(active.lanes) * float64(n)
	}
	var sums [peakSums]float32
	factor := float32(n)
	for range n {
		for i := range sums {
			sums[i] += float32(sums[i] * factor)
		}
	}
	return float64(2*peakSums*n) + float64(sums[0]) // adds 0 to keep the loop
}

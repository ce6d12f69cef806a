package kernel

// peakSums is the number of sums that Peak adds to in turn, so that no addition waits for the one before.
const peakSums = 12

// Peak multiplies and adds n times, n above 0, in each of several registers, without touching memory, and returns the number
// of floating-point operations. Divided by the time that takes, it is the most that this core can do: what other
// measurements are compared with.
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
			sums[i] += sums[i] * factor
		}
	}
	return 2*peakSums*float64(n) + float64(sums[0]) // which is 0, but must be computed for this
}

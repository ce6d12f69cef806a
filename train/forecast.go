package train

import (
	"math"
	"time"

	"tengen/train/checkpoint"
)

// Forecast estimates a run's time on this machine. A new run's forecast leaves out evaluations and perfect play.
type Forecast struct {
	First, Grown float64 // seconds of the first iteration, and of each iteration with full-length searches
	Grow         int     // selfplay.grow_iterations
}

// KnownForecast forecasts from the mean time of the last ten iterations. ok is false if there are none.
func KnownForecast(past []checkpoint.Metrics) (f Forecast, ok bool) {
	past = past[max(0, len(past)-10):]
	sum, _ := checkpoint.Spent(past)
	each := sum.Total / float64(len(past))
	return Forecast{First: each, Grown: each}, each > 0
}

func (f Forecast) seconds(iteration int) float64 {
	share := min(1, float64(iteration-1)/float64(max(1, f.Grow)))
	return f.First + float64(share*(f.Grown-f.First))
}

// Left returns the time of iterations done+1 to last.
func (f Forecast) Left(done, last int) time.Duration {
	sum := 0.0
	for i := done + 1; i <= last; i++ {
		sum += f.seconds(i)
	}
	return time.Duration(min(sum*float64(time.Second), math.MaxInt64/2))
}

// Iterations returns how many iterations of a new run fit into d, at least 1.
func (f Forecast) Iterations(d time.Duration) int {
	n := 1
	for left := d.Seconds() - f.seconds(1); left >= f.seconds(n+1) && n < checkpoint.MaxIteration; n++ {
		left -= f.seconds(n + 1)
	}
	return n
}

package train

import "math"

// decays are the shapes of the learning rate over a run: the weight of the peak against the final rate, at progress in
// [0, 1].
var decays = map[string]func(progress float64) float64{
	"none":   func(float64) float64 { return 1 },
	"linear": func(progress float64) float64 { return 1 - progress },
	"cosine": func(progress float64) float64 { return (1 + math.Cos(math.Pi*progress)) / 2 },
}

// learningRate is the rate of the given step, which counts from 0 over the run, in the given iteration, which counts
// from 1. Within an iteration only the warm-up changes it.
func (c Config) learningRate(step uint64, iteration int) float64 {
	progress := 0.0
	if c.Iterations > 1 {
		progress = float64(iteration-1) / float64(c.Iterations-1)
	}
	peak := decays[c.Decay](progress)
	rate := peak*c.LearningRate + (1-peak)*c.FinalLearningRate
	if step < uint64(c.WarmupSteps) {
		rate *= float64(step+1) / float64(c.WarmupSteps)
	}
	return rate
}

package selfplay

const (
	maxAtStart  = 32 // bounds the simulations of model 0's searches
	maxInEnding = 16 // bounds them in the ending, see Config.EndingPlies
)

// simulationsFor returns the number of simulations in a model's searches. It grows linearly, rounded down, from half of
// full (at most maxAtStart) for model 0 to full for model GrowIterations and all later ones.
func (c Config) simulationsFor(model uint64, full int) int {
	if model >= uint64(c.GrowIterations) {
		return full
	}
	m, n := int(model), c.GrowIterations
	return (max(1, min(maxAtStart, full/2))*(n-m) + full*m) / n
}

// limitInEnding returns a search's simulations with at most left plies to go: n, or fewer in the ending.
func (c Config) limitInEnding(n, left int) int {
	if left <= c.EndingPlies {
		return min(maxInEnding, n)
	}
	return n
}

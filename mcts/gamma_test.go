package mcts

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"
)

// TestGammaIsGonums draws the same variates, from the same random numbers, as Gonum.
func TestGammaIsGonums(t *testing.T) {
	for _, alpha := range []float64{0.03, 0.19, 0.2, 0.5, 0.99, 1, 1.1, 10} {
		ours, theirs := rand.New(rand.NewPCG(1, 2)), rand.New(rand.NewPCG(1, 2))
		reference := distuv.Gamma{Alpha: alpha, Beta: 1, Src: theirs}
		for range 5000 {
			if got, want := gamma(alpha, ours), reference.Rand(); math.Abs(got-want) > 1e-11*want {
				t.Fatalf("shape %v: %v, want %v", alpha, got, want)
			}
		}
	}
}

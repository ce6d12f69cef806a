// Package random derives independent generators from a run's seed.
//
// Nothing in tengen draws from a shared or clock-seeded source. Whoever needs randomness names what it is for by numbers
// (a stream and, say, a game's number) and gets a generator that depends on those and the seed alone. So a game, a
// training step or a match can be repeated by itself, and resuming a run needs no saved generator.
package random

import "math/rand/v2"

// New returns the generator for the given seed and labels. Any change of a label gives an unrelated sequence. The
// generator is not safe for concurrent use.
func New(seed uint64, labels ...uint64) *rand.Rand {
	h := Mix(seed)
	for _, label := range labels {
		h = Mix(h ^ Mix(label+golden))
	}
	return rand.New(rand.NewPCG(h, Mix(h+golden)))
}

// golden is 2^64 divided by the golden ratio, the increment of SplitMix64.
const golden = 0x9e3779b97f4a7c15

// Mix is a hash of x, the finaliser of SplitMix64 (Steele, Lea, Flood 2014, "Fast splittable pseudorandom number
// generators"): every bit of the result depends on every bit of x.
func Mix(x uint64) uint64 {
	x += golden
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

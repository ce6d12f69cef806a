// Package random derives independent generators from a run's seed.
//
// A generator depends only on the seed, its purpose, a Stream, and numbers such as the game's. A game, a training step
// or a match can thus be repeated alone, and resuming a run needs no saved generator.
package random

import "math/rand/v2"

// Stream is a purpose of random numbers.
type Stream uint64

// The streams, with the numbers that each passes to New. Their values determine results: they must never change, and
// must differ.
const (
	SelfPlay Stream = 1                // all randomness of a self-play game: its number
	Weights  Stream = 0x6e6574         // the initial weights of a network
	Samples  Stream = 0x73616d706c65   // the training samples of a step: its number
	Worker   Stream = 0x776f726b6572   // the seed of a worker's games: a hash of its name
	Openings Stream = 0xa0             // the openings of a match
	Match    Stream = 0xa1             // a player's moves in a game of a match: the game's number, the side
	Pairing  Stream = 0xa2             // the seed of a match on a ladder: hashes of the two players' names
	Judge    Stream = 0xa3             // the seed of the matches at the end of a run's iteration: its number
	Problems Stream = 0xa8             // positions for grading players: their source, the round
	Grade    Stream = 0xa9             // a player's moves in grading: the number of the problem
	Exam     Stream = 0x6578616d       // positions of an exam: the stage, the number of the draw
	Balanced Stream = 0x62616c616e63   // balanced openings: the number of the draw
	Analyze  Stream = 0x616e616c797a65 // a player's moves in analyzed positions: the number of the question
	Choice   Stream = 0x63686f696365   // a move among equals in interactive play: the ply
	Playouts Stream = 0x706c61796f7574 // playouts of plain UCT in interactive play: the number of the tree
	Bench    Stream = 0x62656e6368     // positions and games of benchmarks: the number of the game
	Games    Stream = 0x67616d6573     // sides and opponent's moves in an environment's game: the game's number
	Beside   Stream = 0x73696465       // positions beside a game: its number
	Suite    Stream = 0x7375697465     // random games of the conformance suite: the number of the game
	Test     Stream = 0x74657374       // tests: any numbers
)

// New returns the generator for the seed, the stream and the numbers. Any change to their values, order or count gives
// an unrelated sequence.
func New(seed uint64, stream Stream, numbers ...uint64) *rand.Rand {
	source := new(rand.PCG)
	Begin(source, seed, stream, numbers...)
	return rand.New(source)
}

// Begin seeds a source as New does, without allocating.
func Begin(source *rand.PCG, seed uint64, stream Stream, numbers ...uint64) {
	h := absorb(Mix(seed), uint64(stream))
	for _, n := range numbers {
		h = absorb(h, n)
	}
	source.Seed(h, Mix(h+golden))
}

func absorb(h, n uint64) uint64 { return Mix(h ^ Mix(n+golden)) }

// golden is 2^64 divided by the golden ratio, the increment of SplitMix64.
const golden = 0x9e3779b97f4a7c15

// Mix is a step of SplitMix64 (Steele, Lea, Flood 2014, "Fast splittable pseudorandom number generators"), a bijection.
func Mix(x uint64) uint64 {
	x += golden
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

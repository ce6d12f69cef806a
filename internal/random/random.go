// Package random derives independent generators from a run's seed.
//
// A generator depends only on the seed, a Stream, which is its purpose, and numbers such as a game's. So a game, a
// training step or a match can be repeated alone, and a run resumes without a saved generator.
package random

import "math/rand/v2"

// Stream is a purpose of random numbers.
type Stream uint64

// The streams, with the numbers that New takes. Their values determine results: they must differ and never change.
const (
	SelfPlay Stream = 1                // a self-play game: its number
	Weights  Stream = 0x6e6574         // initial weights
	Samples  Stream = 0x73616d706c65   // a step's training samples: its number
	Openings Stream = 0xa0             // a match's openings
	Match    Stream = 0xa1             // a player's moves in a match: the game's number, the side
	Pairing  Stream = 0xa2             // the seed of a ladder's match: hashes of the players' names
	Evaluate Stream = 0xa3             // the seed of the matches after an iteration: its number
	Problems Stream = 0xa8             // positions for grading players: their source, the round
	Grade    Stream = 0xa9             // a player's moves in grading: the problem's number
	Exam     Stream = 0x6578616d       // the positions of a book exam
	Analyze  Stream = 0x616e616c797a65 // a player's moves in analyzed positions: the question's number
	Choice   Stream = 0x63686f696365   // moves among equals in interactive play: the ply
	Playouts Stream = 0x706c61796f7574 // playouts of plain UCT in interactive play: 0
	Bench    Stream = 0x62656e6368     // positions and games of benchmarks: the game's number
	Games    Stream = 0x67616d6573     // an environment's sides and opponent's moves: the game's number
	Suite    Stream = 0x7375697465     // random games of the conformance suite: the game's number
	Names    Stream = 0x6e616d6573     // random games that show the moves' names
	Test     Stream = 0x74657374       // tests: any
)

// New returns the generator for the seed, the stream and the numbers. Any change to their values, order or count gives
// an unrelated sequence.
func New(seed uint64, stream Stream, numbers ...uint64) *rand.Rand {
	h := absorb(Mix(seed), uint64(stream))
	for _, n := range numbers {
		h = absorb(h, n)
	}
	return rand.New(rand.NewPCG(h, Mix(h+golden)))
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

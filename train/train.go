// Package train is the training run: a Loop that generates games, learns from them and publishes models, a Learner that
// takes the steps, and a Dir that holds it all on disk so that a run which was stopped, or killed at any instant, goes on
// with the same bytes as one that was not.
//
// One iteration is AlphaZero's cycle (Silver et al. 2018, "A general reinforcement learning algorithm that masters chess,
// shogi, and Go through self-play"): games with the newest published model enter the window; steps of gradient descent on
// samples of the window improve the weights; the weights are published, after a match against the model before if there
// is a gate (Silver et al. 2017, "Mastering the game of Go without human knowledge", Methods).
//
// Three things make a run repeatable. Nothing draws from a generator that lives on from step to step: every game and
// every step has its own, derived from the seed and its number. Gradients are summed in a fixed order. And an iteration
// is committed as a whole, by the renaming of one file, see Dir: what a killed process had begun beyond that is swept away
// and done again.
//
// The package knows nothing about a game's rules. Self-play, the window of positions and the judge of strength come in
// through the interfaces below.
package train

import (
	"context"
	"io"
	"math/rand/v2"
	"time"

	"tengen/net"
	"tengen/replay"
)

// SelfPlay plays games for training.
type SelfPlay interface {
	// Generate returns n games numbered from first, in that order, played with these weights, which are those of the model
	// that the given iteration made. The games must depend on those three and the run's seed alone. progress is called with
	// the number of games finished, possibly by several goroutines at once. The weights must not be changed.
	Generate(ctx context.Context, model uint64, weights *net.Weights, first uint64, n int, progress func(done int)) ([]*replay.Game, Stats, error)
}

// Stats counts the work behind the games of an iteration.
type Stats struct {
	Simulations  int64
	Evaluations  int64 // positions that the network has scored
	CacheHits    int64 // positions that a cache has spared it
	CacheLookups int64
	Duration     time.Duration
}

// Window holds the newest positions of the run. replay.Window is one.
type Window interface {
	// Add takes in a game that follows all those before.
	Add(g *replay.Game) error
	// Len is the number of positions in the window.
	Len() int
	// Positions is the number of positions of all games ever added.
	Positions() uint64
	// Sample overwrites the batch with samples drawn from the window.
	Sample(rng *rand.Rand, b *replay.Batch)
	// WriteSnapshot and ReadSnapshot save and restore the whole window.
	WriteSnapshot(w io.Writer) error
	ReadSnapshot(r io.Reader) error
}

// Judge measures strength by playing matches.
type Judge interface {
	// Evaluate plays a model against the opponents that it is measured against and returns the results by their names. The
	// results must depend on the weights, the iteration and the run's seed alone.
	Evaluate(ctx context.Context, iteration int, weights *net.Weights) (map[string]Score, error)
	// Gate plays games between two models and returns the candidate's score.
	Gate(ctx context.Context, iteration, games int, candidate, published *net.Weights) (Score, error)
}

// Score is the result of a match in the view of the model that is judged.
type Score struct {
	Score  float64 `json:"score"` // (wins + draws/2) / games, from 0 to 1
	Wins   int     `json:"wins"`
	Draws  int     `json:"draws"`
	Losses int     `json:"losses"`
	Games  int     `json:"games"`
}

// Package train implements the training run. A Loop gets games, learns from them and publishes models; a Learner takes
// the training steps. Each game is logged as it ends. A stopped or killed run resumes from its checkpoint with the same
// bytes as an uninterrupted one.
//
// One iteration is AlphaZero's cycle (Silver et al. 2018, "A general reinforcement learning algorithm that masters
// chess, shogi, and Go through self-play"): self-play games enter the window; gradient descent on samples of the window
// improves the weights; the weights are published.
//
// Three things make a run repeatable. Every game and every step has its own random generator, derived from the seed and
// its number. Gradients are summed in a fixed order. And renaming one file commits a whole iteration, see
// checkpoint.Dir.Commit: a restarted process repeats uncommitted work, except for finished games, which are logged.
//
// The package knows no game rules: a selfplay.Player plays, and window and arena come in through the interfaces below.
package train

import (
	"context"
	"math/rand/v2"

	"tengen/eval/rating"
	"tengen/game"
	"tengen/net"
	"tengen/replay"
	"tengen/train/checkpoint"
)

// Window holds the run's newest positions.
type Window interface {
	// Add adds games that follow all games added before, the oldest first.
	Add(games ...*replay.Record) error
	// Len and Games return the number of positions and of games in the window, and Oldest the number of its first game.
	Len() int
	Games() int
	Oldest() uint64
	// Positions returns the number of positions ever added.
	Positions() uint64
	// Sample overwrites the batch with samples drawn from the window.
	Sample(rng *rand.Rand, b *game.Batch)
	// Newest overwrites the first rows of the batch with positions of the newest games, without randomness.
	Newest(games int, b *game.Batch) (rows int)
	// Restore sets the window to these games, oldest first, and Positions to positions.
	Restore(ctx context.Context, positions uint64, games []*replay.Record) error
}

// Arena measures strength by matches.
type Arena interface {
	// Evaluate measures the newest published model after an iteration. The result depends only on the iteration, the
	// weights and the run's seed, unless the opponent thinks for a time, such as uct:DURATION. Evaluate reports how many
	// games and positions are done, of how many, from one goroutine at a time.
	Evaluate(ctx context.Context, iteration int, weights *net.Weights, report func(done, total int)) (Evaluation, error)
}

// Evaluation is a model's measured strength.
type Evaluation struct {
	Matches map[string]rating.Tally // by opponent
	Grade   *checkpoint.Grade       // against perfect play; nil if the game is not graded
	Exam    []checkpoint.ExamPart   // in the game's exam; nil if there is none
}

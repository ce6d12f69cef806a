// Package train implements the training run. A Loop gets games, learns from them and publishes models; a Learner takes
// the training steps; LocalGames has games played and logs each as it ends. A stopped or killed run resumes from its
// checkpoint with the same bytes as an uninterrupted one.
//
// One iteration is AlphaZero's cycle (Silver et al. 2018, "A general reinforcement learning algorithm that masters
// chess, shogi, and Go through self-play"): self-play games enter the window; gradient descent on samples of the window
// improves the weights; the weights are published.
//
// Three things make a run repeatable. Every game and every step has its own random generator, derived from the seed and
// its number. Gradients are summed in a fixed order. And renaming one file commits a whole iteration, see
// checkpoint.Dir.Commit: a restarted process repeats uncommitted work, except for finished games, which are logged.
//
// The package knows no game rules: games, window and arena come in through the interfaces below.
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

// GameSource supplies the games that a run learns from.
type GameSource interface {
	// Next returns the games of an iteration, in window order. They depend only on the request and the run's seed.
	Next(ctx context.Context, r Request) (Played, error)
	// Recent returns the last n games before the cursor, in window order, or fewer if some are lost.
	Recent(ctx context.Context, cursor uint64, n int) ([]*replay.Record, error)
	// Forget drops the games of all models after this one.
	Forget(ctx context.Context, model uint64) error
	// Retain may drop games below needed; next is the first game after the last committed iteration. It may run
	// concurrently with Next.
	Retain(ctx context.Context, needed, next uint64) error
}

// Request asks for the games of an iteration.
type Request struct {
	Model   uint64       // iteration that made the model to play with
	SHA256  string       // of its file
	Weights *net.Weights // its weights, read-only
	After   uint64       // the previous Played.Cursor, 0 at first
	Games   int
	Needed  uint64 // number of the oldest game in the windows of the last two checkpoints
	// Progress is called with the number of games stored, first with those of earlier processes.
	Progress func(done int)
}

// Played is the games of an iteration.
type Played struct {
	Games  []*replay.Record
	Cursor uint64       // number of the next game
	Stats  replay.Stats // excludes games of earlier processes
	// Replaced reports that forged games before After have been replaced: call Recent again.
	Replaced bool
}

// Window holds the run's newest positions.
type Window interface {
	// Add adds games that follow all games added before, the oldest first.
	Add(games ...*replay.Record) error
	// Len and Games return the number of positions and of games in the window.
	Len() int
	Games() int
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
	// Evaluate measures the newest published model after an iteration. It depends only on the weights and the run's
	// seed.
	Evaluate(ctx context.Context, iteration int, weights *net.Weights) (Evaluation, error)
}

// Evaluation is a model's measured strength.
type Evaluation struct {
	Matches map[string]rating.Tally // by opponent
	Grade   *checkpoint.Grade       // against perfect play; nil if the game is not graded
	Exam    []checkpoint.ExamPart   // in the game's exam; nil if there is none
}

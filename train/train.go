// Package train is the training run: a Loop that gets games, learns from them and publishes models, a Learner that takes
// the steps, and a Journal that has games played and keeps each as it ends. With the checkpoints of package checkpoint, a run
// which was stopped, or killed at any instant, goes on with the same bytes as one that was not.
//
// One iteration is AlphaZero's cycle (Silver et al. 2018, "A general reinforcement learning algorithm that masters chess,
// shogi, and Go through self-play"): games with the newest published model enter the window; steps of gradient descent on
// samples of the window improve the weights; the weights are published, after a match against the model before if there
// is a gate (Silver et al. 2017, "Mastering the game of Go without human knowledge", Methods).
//
// Three things make a run repeatable. Nothing draws from a generator that lives on from step to step: every game and
// every step has its own, derived from the seed and its number. Gradients are summed in a fixed order. And an iteration
// is committed as a whole, by the renaming of one file, see checkpoint.Dir.Commit: what a killed process had begun beyond that is
// done again, except for its finished games, which are taken from the log.
//
// The package knows nothing about a game's rules. The games, the window of positions and the judge of strength come in
// through the interfaces below.
package train

import (
	"context"
	"math/rand/v2"

	"tengen/eval/rating"
	"tengen/net"
	"tengen/replay"
	"tengen/train/checkpoint"
)

// GameSource is where the games come from that a run learns from. Journal is one.
type GameSource interface {
	// Next returns the games of an iteration, in the order in which they enter the window. What it returns follows from the request
	// and the run's seed alone, however often it is asked for.
	Next(ctx context.Context, r Request) (Batch, error)
	// Recent returns the last n of all games that Next has returned up to the cursor, in the same order. Games that are lost for
	// good are not among them, and the result is shorter.
	Recent(ctx context.Context, cursor uint64, n int) ([]*replay.Record, error)
	// Retain may drop games whose numbers are below needed; next is the number of the game after the last iteration. It may run beside Next.
	Retain(ctx context.Context, needed, next uint64) error
}

// Request asks for the games of an iteration.
type Request struct {
	Model   uint64       // that plays, by the iteration that made it
	Weights *net.Weights // its weights, not to be changed
	After   uint64       // Batch.Cursor of the batch before, 0 for the first
	Games   int
	Needed  uint64 // number of the oldest game that the windows of the last two checkpoints need
	// Progress is called with the number of games that are finished and safe: at first, before any is played, with those that
	// an earlier process has left.
	Progress func(done int)
}

// Batch is the games of an iteration.
type Batch struct {
	Games  []*replay.Record
	Cursor uint64       // number of the next game
	Stats  replay.Stats // work for the games that an earlier process has not left
	// Replaced says that games before these were false and are others now: Recent has to be asked again.
	Replaced bool
}

// Window holds the newest positions of the run. replay.Window is one.
type Window interface {
	// Add takes in games that follow all those before, the oldest first.
	Add(games ...*replay.Record) error
	// Len is the number of positions in the window, Games that of its games.
	Len() int
	Games() int
	// Positions is the number of positions of all games ever added.
	Positions() uint64
	// Sample overwrites the batch with samples drawn from the window.
	Sample(rng *rand.Rand, b *replay.Batch)
	// Restore makes the window what it was when it held these games, oldest first, and Positions was that. When ctx ends first, it
	// returns an error.
	Restore(ctx context.Context, positions uint64, games []*replay.Record) error
}

// Judge measures strength.
type Judge interface {
	// Evaluate measures the weights of the given model, the newest published, at the end of an iteration. The results must
	// depend on them, on the run so far and on its seed alone.
	Evaluate(ctx context.Context, iteration, model int, weights *net.Weights) (Evaluation, error)
	// Gate plays games between two models and returns the candidate's score.
	Gate(ctx context.Context, iteration, games int, candidate, published *net.Weights) (rating.Tally, error)
}

// Evaluation is what was found out about a model's strength.
type Evaluation struct {
	Matches map[string]rating.Tally // by the name of the opponent
	Grade   *checkpoint.Grade       // against perfect play; nil where nobody can tell
	Exam    []checkpoint.ExamPart   // in the game's exam; nil where there is none
	Rating  *rating.Rating          // among the run's models and their opponents; nil without a ladder
}

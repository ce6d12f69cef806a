// Package train is the training run: a Loop that gets games, learns from them and publishes models, a Learner that takes
// the steps, and a Journal that has games played and keeps each as it ends. With the checkpoints of package rundir, a run
// which was stopped, or killed at any instant, goes on with the same bytes as one that was not.
//
// One iteration is AlphaZero's cycle (Silver et al. 2018, "A general reinforcement learning algorithm that masters chess,
// shogi, and Go through self-play"): games with the newest published model enter the window; steps of gradient descent on
// samples of the window improve the weights; the weights are published, after a match against the model before if there
// is a gate (Silver et al. 2017, "Mastering the game of Go without human knowledge", Methods).
//
// Three things make a run repeatable. Nothing draws from a generator that lives on from step to step: every game and
// every step has its own, derived from the seed and its number. Gradients are summed in a fixed order. And an iteration
// is committed as a whole, by the renaming of one file, see rundir.Dir.Commit: what a killed process had begun beyond that is
// done again, except for its finished games, which are taken from the log.
//
// The package knows nothing about a game's rules. The games, the window of positions and the judge of strength come in
// through the interfaces below.
package train

import (
	"context"
	"encoding/json"
	"math/rand/v2"
	"time"

	"tengen/arena/rating"
	"tengen/net"
	"tengen/replay"
	"tengen/train/rundir"
)

// GameSource is where the games come from that a run learns from. Journal is one.
type GameSource interface {
	// Next returns the games of an iteration, in the order in which they enter the window. What it returns has to follow
	// from the request, the run's seed and, where workers play, the log of their games, however often it is asked for.
	Next(ctx context.Context, r Request) (Batch, error)
	// Recent returns the last n of all games that Next has returned up to the cursor, in the same order:
	//
	//	games[max(0, len(games)-n):]
	//
	// Lost games are not among them, so the result reaches further back for each, or is shorter. notes are those of the batch
	// that ended at the cursor, nil if the checkpoint was made before there were any.
	Recent(ctx context.Context, cursor uint64, notes json.RawMessage, n int) ([]*replay.Record, error)
	// Retain lets go of old games, all but the newest that together have this many positions.
	Retain(ctx context.Context, positions int) error
}

// Request asks for the games of an iteration.
type Request struct {
	Model   uint64       // the published model that plays, by the iteration that made it
	Weights *net.Weights // its weights, not to be changed
	After   uint64       // Batch.Cursor of the batch before, 0 for the first
	Games   int
	// Progress is told the number of games that are finished and safe, by several goroutines at once: at first, before any is
	// played, of those that an earlier process has left, where that is known.
	Progress func(done int)
}

// Batch is the games of an iteration.
type Batch struct {
	Games  []*replay.Record
	Cursor uint64 // place of the run behind these games; only the GameSource knows what the number means
	// Notes, JSON, are what the GameSource has to know to find these games and those before again. They are part of the
	// checkpoint, and so always those of its window. nil: nothing.
	Notes json.RawMessage
	// Stats are the work of this process, without games that another had finished before it was stopped. Where workers play, they are
	// all games of the iteration, by the clock.
	Stats    replay.Stats
	Verified Verified
	// Elsewhere says that others have played all games, while this process did nothing but wait.
	Elsewhere bool
}

// Verified is what came of playing games of others again, to see whether they are what they must be.
type Verified struct {
	Games   int           // that came out the same
	Skipped int           // that were to be played again and could not
	Time    time.Duration // that it took
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
	Grade   *rundir.Grade           // against perfect play; nil where nobody can tell
	Exam    []rundir.ExamPart       // in the game's exam; nil where there is none
	Rating  *rating.Rating          // among the run's models and their opponents; nil without a ladder
}

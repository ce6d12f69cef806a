// Package live thinks about a position while somebody waits: it says what it has found so far, is stopped at any moment
// and answers at once, follows the game from move to move, and may go on thinking on the opponent's time.
//
// A Thinker has one position and one thought about it at a time. It drives a searcher, of which there are four: a network
// (NewNet), plain Monte-Carlo search (NewUCT), alpha-beta (NewAlphaBeta), and whatever answers in one go (NewPlayer: exact
// players, random moves, the bare policy). Build makes one of the name of a player.
//
// To be stopped is no failure: the answer is then the best so far, and there is always a legal move in it. Errors are
// those of an evaluator or a solver.
//
// Two invariants are tested. A thought that is limited by simulations, not by the clock, and is not stopped repeats itself with
// the same Options, whoever was faster and whoever read the reports. And a Thinker that does not think has no goroutine, so there is
// nothing to close.
package live

import (
	"errors"
	"fmt"
	"runtime"
	"time"

	"tengen/game"
	"tengen/mcts"
	"tengen/players"
)

// ErrPanic is the error of a thought in which a searcher, an evaluator or a solver has panicked; its text has the stack. The Thinker
// is to be thrown away then.
var ErrPanic = errors.New("live: panic")

// Limit ends a thought, whichever limit comes first. The zero Limit sets none.
type Limit struct {
	// Simulations is the size of the tree: simulations at the root, those included that were kept from thoughts before. So
	// the answer is as good as that of a fresh search of this size, and comes sooner. Nets and UCT obey it; alpha-beta,
	// solvers and the bare policy have ends of their own. 0: no limit.
	Simulations int
	// Time is since the beginning of the thought. 0: no limit.
	Time time.Duration
}

// Report is what a thought has found so far, or its answer.
type Report struct {
	// Analysis is shared with other reports, and must not be changed. Its Simulations are those at the root, kept ones
	// included. When the game is over, Best is game.None, Value and Proven are the outcome, and the rest is empty.
	*players.Analysis
	Kept    int           // simulations that the thought began with
	Elapsed time.Duration // since the thought began
	Final   bool          // the answer, not a partial result
	// Detail is what Explain was asked for beyond the analysis; nil where there is no tree to look into.
	*Detail
}

// Detail is what a tree knows beyond an players.Analysis.
type Detail struct {
	// Lines [len(Moves)] has for each move of the analysis the principal variation that begins with it: the move alone where no
	// simulation has gone on.
	Lines [][]game.Action
	// Below describes the position at the end of the line that Explain was given, nil where the tree does not reach so far.
	Below *mcts.Below
}

// PerSecond is the number of simulations that the thought makes in a second.
func (r Report) PerSecond() float64 {
	if r.Elapsed <= 0 {
		return 0
	}
	return float64(r.Simulations-r.Kept) / r.Elapsed.Seconds()
}

// Options say how a Thinker works.
type Options struct {
	// Threads is the number of goroutines that search: evaluators of a network, trees of UCT. 1 to 256. The same search by
	// another number of threads finds something slightly different.
	Threads int
	// Batch is the number of leaves in one evaluation of a network, 1 to 64. A thought that is stopped waits for the
	// evaluations under way, so smaller ones stop sooner and larger ones are more efficient.
	Batch int
	// MaxNodes ends a thought when its tree has so many simulations, and so at most as many positions, whatever its Limit:
	// pondering must not use up the memory. A position takes 24 bytes for each of its legal moves, and what Advance keeps
	// is copied. 0: as many as take about a gigabyte.
	MaxNodes int
	// Interval is the least time between two partial reports.
	Interval time.Duration
	// Seed is that of random moves, of random playouts, and of the choice among equal moves.
	Seed uint64
}

// Default uses all cores, in small batches, and reports ten times a second.
func Default() Options {
	return Options{Threads: runtime.GOMAXPROCS(0), Batch: 8, Interval: 100 * time.Millisecond, Seed: 1}
}

// Validate names the first option that is out of range.
func (o Options) Validate() error {
	switch {
	case o.Threads < 1 || o.Threads > 256:
		return fmt.Errorf("live: %d threads, allowed are 1 to 256", o.Threads)
	case o.Batch < 1 || o.Batch > 64:
		return fmt.Errorf("live: batch of %d leaves, allowed are 1 to 64", o.Batch)
	case o.MaxNodes < 0:
		return fmt.Errorf("live: max_nodes is %d, allowed are 0, which is about a gigabyte, and more", o.MaxNodes)
	case o.Interval < 0:
		return fmt.Errorf("live: interval of %v, allowed are 0 and more", o.Interval)
	}
	return nil
}

func (o Options) mustBeValid() {
	if err := o.Validate(); err != nil {
		panic(err.Error())
	}
}

// Nodes is the number of positions of a tree that takes so many megabytes, in a game with that many actions: each takes up to 24 bytes
// an action, and a quarter is for growth.
func Nodes(megabytes, actions int) int { return megabytes << 15 / actions }

// nodes is MaxNodes for a game with that many actions.
func (o Options) nodes(actions int) int {
	if o.MaxNodes == 0 {
		return Nodes(1<<10, actions)
	}
	return o.MaxNodes
}

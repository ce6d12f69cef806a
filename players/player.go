// Package players is who plays.
//
// There is one implementation of each kind of player. A Player searches positions, each with a Searcher of its own: many at once,
// as in the games of a match, or one while somebody waits. A Builder makes players of their names ("uct:1000"), which ParseSpec
// reads, for two uses:
//
//   - An Answerer, from a Factory, chooses moves for many positions at once, so that a network fills its batches, and explains them. It
//     keeps nothing from one position to the next: the answer depends on the position, the seed and the limit alone. AnalyzeAll
//     explains a stream of positions.
//   - A Thinker thinks about one position while somebody waits. It says what it has found so far, is stopped at any moment and
//     answers at once, follows the game from move to move, and may go on thinking on the opponent's time.
package players

import (
	"context"
	"math/rand/v2"
	"time"

	"tengen/game"
	"tengen/mcts"
)

// Player searches positions. It is not safe for concurrent use.
type Player[S game.State[S]] interface {
	// New returns a searcher for Search, and for no other player's. Reset comes first.
	New() Searcher[S]

	// Search works on each position until the limit is reached, there is nothing left to find, or ctx ends, which is no error;
	// always until there is a move to offer. It works on all at once where one evaluator serves them, else on one after the
	// other. Without a limit of time, what it finds of a position does not depend on the others, nor on how long anything takes.
	//
	// Between two pieces of work it calls progress, which may ask the searcher, if there is one, for its Analysis: with true when
	// there is news worth a report at once.
	Search(ctx context.Context, on []Searcher[S], l Limit, progress func(news bool)) error

	// Together is the number of positions that are best searched in one call.
	Together(l Limit) int
}

// Searcher is one position and what a player has found out about it. It is not safe for concurrent use. The position of Reset and
// Advance may be over; the other methods are then not called.
type Searcher[S game.State[S]] interface {
	// Reset forgets everything and takes up s. Random playouts are drawn from rng.
	Reset(s S, rng *rand.Rand)

	// Advance plays a legal move and keeps what it can of what was found below it.
	Advance(a game.Action)

	// Size is the number of simulations in the tree, as Limit counts them.
	Size() int

	// Choose is the best move that was found, drawn from those that are equally good.
	Choose(rng *rand.Rand) game.Action

	// Analysis is what was found, if not by a search with MoveOnly, without memory that a search goes on writing to. Its Best is
	// what Choose returns for the same state of rng.
	Analysis(rng *rand.Rand) *Analysis

	// Look describes the moves of the analysis, and the position that a line of moves leads to; nil where there is no tree.
	Look(line []game.Action) *Detail
}

// Limit ends a search, whichever limit comes first. The zero Limit sets none.
type Limit struct {
	// Simulations is the size of the tree: simulations at the root, those included that were kept from searches before. So
	// the answer is as good as that of a fresh search of this size, and comes sooner. Nets and UCT obey it; alpha-beta,
	// solvers and the bare policy have ends of their own. 0: no limit.
	Simulations int
	// Time is since the beginning of the search of a position, which needs a core to itself to mean the same everywhere. 0: no limit.
	Time time.Duration
	// MoveOnly says that nothing but Choose will be called, for which solvers need not know the scores of all moves.
	MoveOnly bool
}

// Analysis is what a player thinks of one position. Values are for the side to move.
type Analysis struct {
	Best   game.Action
	Value  float32       // in [-1, 1]
	Proven game.Result   // Unknown where the player proves nothing
	Moves  []mcts.Stat   // the legal moves, by ascending action
	Policy []float32     // [Actions]: share of each move, summing to 1
	PV     []game.Action // begins with Best

	// Simulations of a network, playouts of UCT, positions visited by alpha-beta. A solver visits fewer where it remembers what
	// it was asked before.
	Simulations int
}

// conclude completes an analysis, and returns it: it sets the chosen move, to which the variation is cut where it does not begin
// with it, and turns the weights of Policy, not all 0, into shares.
func (a *Analysis) conclude(best game.Action) *Analysis {
	a.Best = best
	if len(a.PV) == 0 || a.PV[0] != best {
		a.PV = []game.Action{best}
	}
	sum := float32(0)
	for _, p := range a.Policy {
		sum += p
	}
	for i := range a.Policy {
		a.Policy[i] /= sum
	}
	return a
}

// Detail is what a tree knows beyond an Analysis.
type Detail struct {
	// Lines [len(Moves)] has for each move of the analysis the principal variation that begins with it: the move alone where no
	// simulation has gone on.
	Lines [][]game.Action
	// Below describes the position at the end of the line that was asked about, nil where the tree does not reach so far.
	Below *mcts.Below
}

// tree is what mcts.Search and uct.Search have in common.
type tree interface {
	PVAfter(dst []game.Action, line ...game.Action) []game.Action
	Below(line []game.Action) (mcts.Below, bool)
}

// detailOf is the detail of a tree.
func detailOf(t tree, moves []mcts.Stat, line []game.Action) *Detail {
	d := &Detail{Lines: make([][]game.Action, len(moves))}
	for i, m := range moves {
		d.Lines[i] = t.PVAfter([]game.Action{m.Action}, m.Action)
	}
	if below, ok := t.Below(line); ok {
		d.Below = &below
	}
	return d
}

// solo is a player that searches one position after the other.
type solo[S game.State[S]] func() lone[S]

// lone is a searcher that works by itself. search is Player.Search without a limit of time.
type lone[S game.State[S]] interface {
	Searcher[S]
	search(ctx context.Context, l Limit, progress func(news bool)) error
}

// New implements Player.
func (p solo[S]) New() Searcher[S] { return p() }

// Together implements Player.
func (p solo[S]) Together(Limit) int { return 1 }

// Search implements Player.
func (p solo[S]) Search(ctx context.Context, on []Searcher[S], l Limit, progress func(news bool)) error {
	for _, s := range on {
		within, cancel := timed(ctx, l)
		err := s.(lone[S]).search(within, l, progress)
		cancel()
		if err != nil {
			return err
		}
	}
	return nil
}

// timed is a context that ends when the time of the limit is over.
func timed(ctx context.Context, l Limit) (context.Context, context.CancelFunc) {
	if l.Time == 0 {
		return ctx, func() {}
	}
	return context.WithTimeout(ctx, l.Time)
}

// treeless is what searchers without a tree have in common.
type treeless[S game.State[S]] struct{ root S }

// Size implements Searcher.
func (treeless[S]) Size() int { return 0 }

// Look implements Searcher.
func (treeless[S]) Look([]game.Action) *Detail { return nil }

// stats is the legal moves, of which nothing is known.
func (t treeless[S]) stats() (moves []mcts.Stat) {
	for _, a := range t.root.Legal(nil) {
		moves = append(moves, mcts.Stat{Action: a})
	}
	return moves
}

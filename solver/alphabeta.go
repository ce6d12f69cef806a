package solver

import (
	"context"

	"tengen/game"
)

// AlphaBeta finds scores by alpha-beta search to the end of the game. It keeps its table from one position to the next and
// is not safe for concurrent use.
type AlphaBeta[S game.State[S]] struct{ negamax *negamax[S] }

// NewAlphaBeta returns a solver for one game. It panics when the configuration is not valid.
func NewAlphaBeta[S game.State[S]](g game.Game[S], c Config) *AlphaBeta[S] {
	return &AlphaBeta[S]{newNegamax(g, c)}
}

// Solve returns the score of s, which must belong to the solver's game.
func (ab *AlphaBeta[S]) Solve(ctx context.Context, s S) (Score, error) {
	n := ab.negamax
	n.watch = newWatch(ctx)
	ply := n.line.start(s)
	value := n.search(ply, n.cells-ply, -infinity, infinity)
	return value.Score(), n.watch.err
}

// Nodes is the number of positions visited so far.
func (ab *AlphaBeta[S]) Nodes() uint64 { return ab.negamax.counts.Nodes }

// Counts is the work done so far.
func (ab *AlphaBeta[S]) Counts() Counts { return ab.negamax.counts }

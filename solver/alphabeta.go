package solver

import (
	"context"

	"tengen/game"
)

// AlphaBeta solves positions by alpha-beta search to the end of the game. It keeps its table between positions and is
// not safe for concurrent use.
type AlphaBeta[S game.State[S]] struct{ negamax *negamax[S] }

// NewAlphaBeta returns a solver for g.
func NewAlphaBeta[S game.State[S]](g game.Game[S], c Config) *AlphaBeta[S] {
	return &AlphaBeta[S]{newNegamax(g, c)}
}

// Solve returns the score of s, a position of the solver's game.
func (ab *AlphaBeta[S]) Solve(ctx context.Context, s S) (Score, error) {
	n := ab.negamax
	n.watch = newWatch(ctx)
	ply := n.line.start(s)
	value := n.search(ply, n.maxPlies-ply, -infinity, infinity)
	return value.Score(), n.watch.err
}

// Moves returns the number of legal moves at the positions visited so far, to which the time is in proportion.
func (ab *AlphaBeta[S]) Moves() uint64 { return ab.negamax.moves }

// Nodes returns the number of positions visited so far.
func (ab *AlphaBeta[S]) Nodes() uint64 { return ab.negamax.nodes }

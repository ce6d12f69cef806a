// Package solver finds the value of positions under perfect play.
//
// A Score says who wins and how soon. AlphaBeta solves any game; packages solver/connect4 and solver/mnk solve theirs
// much faster. All find equal scores. A Searcher looks ahead to a limited depth in games too large to solve.
package solver

import (
	"context"
	"slices"

	"tengen/game"
	"tengen/internal/eventloop"
)

// Solver finds scores. It is not safe for concurrent use.
type Solver[S game.State[S]] interface {
	// Solve returns the score of s, even if the game is over, or an error when ctx ends first.
	Solve(ctx context.Context, s S) (Score, error)

	// Nodes returns the number of positions visited so far, with repeats and the root.
	Nodes() uint64
}

// Moves returns the scores of the legal moves of s, for its side to move.
func Moves[S game.State[S]](ctx context.Context, solver Solver[S], s S, legal []game.Action) ([]Score, error) {
	scores := make([]Score, len(legal))
	for i, a := range legal {
		score, err := solver.Solve(ctx, s.Play(a))
		if err != nil {
			return nil, err
		}
		scores[i] = -score
	}
	return scores, nil
}

// Sign returns the sign of the score of s. With some solvers it is faster than Solve.
func Sign[S game.State[S]](ctx context.Context, solver Solver[S], s S) (int, error) {
	if quick, ok := solver.(interface {
		Sign(context.Context, S) (int, error)
	}); ok {
		return quick.Sign(ctx, s)
	}
	score, err := solver.Solve(ctx, s)
	return score.Sign(), err
}

// Chooser is a Solver that finds the best moves without all scores.
type Chooser[S game.State[S]] interface {
	// Best returns the best moves of s, which must not be over.
	Best(ctx context.Context, s S) ([]game.Action, error)
}

// Best returns the best moves of s, which must not be over.
func Best[S game.State[S]](ctx context.Context, solver Solver[S], s S) ([]game.Action, error) {
	if chooser, ok := solver.(Chooser[S]); ok {
		return chooser.Best(ctx, s)
	}
	legal := s.Legal(nil)
	scores, err := Moves(ctx, solver, s, legal)
	if err != nil {
		return nil, err
	}
	highest := slices.Max(scores)
	var best []game.Action
	for i, a := range legal {
		if scores[i] == highest {
			best = append(best, a)
		}
	}
	return best, nil
}

// Booked is a Solver with an opening book: the scores of all positions of a game's first plies.
type Booked interface {
	// BookEnd returns the last of these plies, -1 without a book.
	BookEnd() int
}

// Config configures a search.
type Config struct {
	// TableEntries is the size of the transposition table in positions of 32 bytes, at least 1. It does not change
	// results.
	TableEntries int
	// ForcedNodes limits, in moves tried, the proof by forced moves (package forced) at each position of a Searcher. 0
	// means no proofs. It needs a game.Alignment.
	ForcedNodes int
}

// Default returns a configuration for a million positions in 32 MiB.
func Default() Config { return Config{TableEntries: 1 << 20} }

// DefaultPlayer returns the configuration of the players alphabeta:DEPTH for g: Default and, in games such as gomoku,
// proofs by forced moves. Where cells lie on others, proofs consider every move and are slow.
func DefaultPlayer[S game.State[S]](g game.Game[S]) Config {
	c := Default()
	lies := func(below int16) bool { return below >= 0 }
	if s, ok := any(g.Start()).(game.Alignment); ok && !slices.ContainsFunc(s.Lines().Below, lies) {
		c.ForcedNodes = 30
	}
	return c
}

// watch checks a search's context cheaply, every 1024 calls.
type watch struct {
	ctx   context.Context
	calls uint
	err   error // why the search must stop
}

func newWatch(ctx context.Context) watch { return watch{ctx: ctx, err: ctx.Err()} }

func (w *watch) stopped() bool {
	if w.calls++; w.calls%1024 == 0 && w.err == nil {
		eventloop.Yield()
		w.err = w.ctx.Err()
	}
	return w.err != nil
}

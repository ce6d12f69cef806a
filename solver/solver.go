// Package solver plays perfectly: it finds what a position is worth when neither side makes a mistake.
//
// A Score says who wins and how soon. The convention is that of the published Connect Four benchmarks (Pons, "Solving
// Connect Four"): a win counts the stones that the winner could still have played, and one more, so that larger is
// sooner; the sign is the side to move's. It is fit for games in which each move puts one stone on the board.
//
// Minimax, AlphaBeta and Table find scores in any game; packages solver/connect4 and solver/mnk in theirs, much faster.
// A Searcher looks ahead to a limited depth where no solver gets to the end.
package solver

import (
	"context"
	"slices"

	"tengen/game"
)

// Score is the worth of a position under perfect play, for the side to move: the winner hurries, the loser delays.
//
//	(cells+2)/2 - stones that the winner will have played     the side to move wins
//	-((cells+2)/2 - stones that the winner will have played)  it loses
//	0                                                         a draw
//
// So the sign is the game's value, and more is better. The fraction is rounded up: a win with the last stone of a board of
// odd size is still one.
type Score int

// WinAt is the score of a board of that many cells for the side that wins with the stone that makes the given ply, counted
// from 1 for the first stone of the game.
func WinAt(cells, ply int) Score { return Score((cells+3)/2 - (ply+1)/2) }

// PliesLeft is the number of plies until the game ends under perfect play, in a position of the given ply and score on a
// board of that many cells. It turns round WinAt; a draw fills the board.
func PliesLeft(cells, ply int, score Score) int {
	if score == 0 {
		return cells - ply
	}
	stones := (cells+3)/2 - int(max(score, -score)) // that the winner will have played
	if firstWins := (score > 0) == (ply%2 == 0); firstWins {
		return 2*stones - 1 - ply
	}
	return 2*stones - ply
}

// Sign is the game's value: -1, 0 or +1.
func (s Score) Sign() int {
	switch {
	case s > 0:
		return 1
	case s < 0:
		return -1
	}
	return 0
}

// Solver finds scores. It is not safe for concurrent use.
type Solver[S game.State[S]] interface {
	// Solve returns the score of s, also when the game is over. When ctx ends first, it returns an error.
	Solve(ctx context.Context, s S) (Score, error)

	// Nodes is the number of positions visited so far.
	Nodes() uint64
}

// Final is the score of a finished game on a board of that many cells; over is false while the game goes on.
func Final[S game.State[S]](s S, cells int) (score Score, over bool) {
	z, over := s.Outcome()
	switch {
	case z < 0:
		return -WinAt(cells, s.Ply()), over
	case z > 0:
		return WinAt(cells, s.Ply()), over // the side to move wins by a stone of its opponent's
	}
	return 0, over
}

// Moves returns the score of each legal move of s, in their order, for the side to move in s, which must not be over.
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

// Chooser is a Solver that finds the best moves faster than by the score of each.
type Chooser[S game.State[S]] interface {
	// Best returns the moves of s, which must not be over, whose score is the best.
	Best(ctx context.Context, s S) ([]game.Action, error)
}

// Best returns the moves of s, which must not be over, whose score is the best.
func Best[S game.State[S]](ctx context.Context, solver Solver[S], s S) ([]game.Action, error) {
	if chooser, ok := solver.(Chooser[S]); ok {
		return chooser.Best(ctx, s)
	}
	legal := s.Legal(nil)
	scores, err := Moves(ctx, solver, s, legal)
	if err != nil {
		return nil, err
	}
	var best []game.Action
	for i, a := range legal {
		if scores[i] == slices.Max(scores) {
			best = append(best, a)
		}
	}
	return best, nil
}

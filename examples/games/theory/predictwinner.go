package theory

import (
	"context"

	"games/predictwinner"
	"tengen/solver"
)

// PredictWinner solves Predict the Winner. It is immutable and safe for concurrent use.
type PredictWinner struct {
	game  *predictwinner.Game
	gains [][]int32 // [left][right]: lead of the side to move at the end, from numbers[left:right] alone
}

// NewPredictWinner solves a row by dynamic programming over its intervals, shorter ones first:
//
//	gain(left, right) = max(numbers[left] - gain(left+1, right), numbers[right-1] - gain(left, right-1))
//
// The numbers already taken do not matter: each side plays for the largest lead that the rest of the row gives.
func NewPredictWinner(g *predictwinner.Game) *PredictWinner {
	numbers := g.Numbers()
	p := &PredictWinner{game: g, gains: make([][]int32, len(numbers)+1)}
	for left := len(numbers); left >= 0; left-- {
		p.gains[left] = make([]int32, len(numbers)+1)
		for right := left + 1; right <= len(numbers); right++ {
			p.gains[left][right] = max(numbers[left]-p.gains[left+1][right], numbers[right-1]-p.gains[left][right-1])
		}
	}
	return p
}

// Gain returns the lead of the side to move at the end of perfect play, its present lead included.
func (p *PredictWinner) Gain(s predictwinner.State) int {
	left, right := s.Row()
	return s.Lead() + int(p.gains[left][right])
}

// Solve returns the score of s, a position of the solver's game.
func (p *PredictWinner) Solve(_ context.Context, s predictwinner.State) (solver.Score, error) {
	plies := p.game.MaxPlies()
	switch gain := p.Gain(s); {
	case gain > 0:
		return solver.WinAt(plies, plies), nil
	case gain < 0:
		return -solver.WinAt(plies, plies), nil
	}
	return 0, nil
}

// Nodes returns the number of intervals.
func (p *PredictWinner) Nodes() uint64 {
	n := uint64(p.game.MaxPlies())
	return n * (n + 1) / 2
}

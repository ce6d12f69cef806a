package theory

import (
	"context"

	"games/ends"
	"tengen/solver"
)

// Ends solves Predict the Winner. It is immutable and safe for concurrent use.
type Ends struct {
	game  *ends.Game
	gains [][]int32 // [left][right]: by how much the side to move ends ahead of the other with numbers[left:right]
}

// NewEnds solves one row, by dynamic programming over its intervals, the shorter ones first:
//
//	gain(left, right) = max(numbers[left] - gain(left+1, right), numbers[right-1] - gain(left, right-1))
//
// That what is taken already does not come into it is the theory of this game: to end with the larger sum, a side takes from what
// is left as much more than the other as it can.
func NewEnds(g *ends.Game) *Ends {
	numbers := g.Numbers()
	e := &Ends{game: g, gains: make([][]int32, len(numbers)+1)}
	for left := len(numbers); left >= 0; left-- {
		e.gains[left] = make([]int32, len(numbers)+1)
		for right := left + 1; right <= len(numbers); right++ {
			e.gains[left][right] = max(numbers[left]-e.gains[left+1][right], numbers[right-1]-e.gains[left][right-1])
		}
	}
	return e
}

// Gain is by how much the side to move ends ahead of the other under perfect play, what they have taken so far included.
func (e *Ends) Gain(s ends.State) int {
	left, right := s.Row()
	return s.Lead() + int(e.gains[left][right])
}

// Solve returns the score of s, which must belong to the solver's game.
func (e *Ends) Solve(_ context.Context, s ends.State) (solver.Score, error) {
	plies := e.game.MaxPlies()
	switch gain := e.Gain(s); {
	case gain > 0:
		return solver.WinAt(plies, plies), nil
	case gain < 0:
		return -solver.WinAt(plies, plies), nil
	}
	return 0, nil
}

// Nodes is the number of intervals.
func (e *Ends) Nodes() uint64 {
	n := uint64(e.game.MaxPlies())
	return n * (n + 1) / 2
}

package solver

import (
	"cmp"

	"tengen/game"
)

// Score is the worth of a position under perfect play, for the side to move, if the winner hurries and the loser
// delays: WinAt of the last ply for a win, its negative for a loss, and 0 for a draw.
//
// With an even number of cells it follows the published Connect Four benchmarks (Pons, "Solving Connect Four"): the
// winner's stones left to play, plus one. With an odd number, wins of the second player are worth one more.
type Score int

// WinAt returns the winner's score in a game that ends with the given ply, counted from 1:
//
//	(maxPlies+3)/2 - (ply+1)/2
//
// in integer arithmetic. A win with the last possible move is 1, each earlier move adds 1.
func WinAt(maxPlies, ply int) Score { return Score((maxPlies+3)/2 - (ply+1)/2) }

// PliesLeft returns the number of plies until the game ends under perfect play, given a position's ply and score, if
// the winner moves last (else see PliesToEnd). A draw lasts until maxPlies.
func PliesLeft(maxPlies, ply int, score Score) int {
	return pliesLeft(maxPlies, ply, score, (score > 0) == (ply%2 == 0))
}

// pliesLeft is PliesLeft given whether the game ends with an odd ply. WinAt is equal for an odd ply and the next.
func pliesLeft(maxPlies, ply int, score Score, endsOdd bool) int {
	if score == 0 {
		return maxPlies - ply
	}
	moves := (maxPlies+3)/2 - int(max(score, -score)) // pairs of plies, the last maybe half
	if endsOdd {
		return 2*moves - 1 - ply
	}
	return 2*moves - ply
}

// Ending is a position of a game in which the loser may move last.
type Ending interface {
	// EndsOdd reports whether wins of winner end with an odd ply, from 1.
	EndsOdd(winner game.Side) bool
}

// PliesToEnd returns PliesLeft for s, which may be an Ending.
func PliesToEnd[S game.State[S]](maxPlies int, s S, score Score) int {
	e, ok := any(s).(Ending)
	if !ok {
		return PliesLeft(maxPlies, s.Ply(), score)
	}
	winner := s.ToMove() * game.Side(score.Sign())
	return pliesLeft(maxPlies, s.Ply(), score, e.EndsOdd(winner))
}

// Sign returns the game-theoretic value: -1, 0 or +1.
func (s Score) Sign() int { return cmp.Compare(s, 0) }

// Final returns the score of a finished game of at most maxPlies plies.
func Final[S game.State[S]](s S, maxPlies int) (score Score, over bool) {
	z, over := s.Outcome()
	switch {
	case z < 0:
		return -WinAt(maxPlies, s.Ply()), over
	case z > 0:
		return WinAt(maxPlies, s.Ply()), over // the opponent's last move lost
	}
	return 0, over
}

// EstimateLimit bounds estimates, strictly, on both sides of 0.
const EstimateLimit = 1 << 28

// Estimator is an unfinished position with a static evaluation for the side to move: larger is better, 0 is even.
type Estimator interface{ Estimate() int }

// Value is a search's result for the side to move: an estimate, or beyond EstimateLimit the Score of a proven win or
// loss. 0 is a draw, proven or estimated.
type Value int32

const infinity Value = 2 * EstimateLimit

func valueOf(s Score) Value { return EstimateLimit*Value(s.Sign()) + Value(s) }

func (v Value) decided() bool { return v > EstimateLimit || v < -EstimateLimit }

// Score returns the score of a proven win or loss, else 0.
func (v Value) Score() Score {
	switch {
	case v > EstimateLimit:
		return Score(v - EstimateLimit)
	case v < -EstimateLimit:
		return Score(v + EstimateLimit)
	}
	return 0
}

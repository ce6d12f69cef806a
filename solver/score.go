package solver

import "tengen/game"

// Score is the worth of a position under perfect play, for the side to move, when the winner hurries and the loser delays:
// WinAt of the ply that ends the game if the side to move wins, the negative of it if it loses, and 0 for a draw. So the sign
// is the game's value, and more is better.
//
// On boards with an even number of cells it is the convention of the published Connect Four benchmarks (Pons, "Solving Connect
// Four"): the stones that the winner could still have played, and one more. With an odd number, a win of the second player is worth one
// more than that.
type Score int

// WinAt is the score for the winner of a game that ends with the given ply, counted from 1 for the first move:
//
//	(maxPlies+3)/2 - (ply+1)/2
//
// in whole numbers, where maxPlies is that of the game. A win with the last possible move is 1, and one by the winner's
// move before that is 1 more.
func WinAt(maxPlies, ply int) Score { return Score((maxPlies+3)/2 - (ply+1)/2) }

// PliesLeft is the number of plies until the game ends under perfect play, in a position of the given ply and score. It turns
// round WinAt, for games that the winner ends by a move of its own (others: PliesToEnd); a draw lasts as long as a game can.
func PliesLeft(maxPlies, ply int, score Score) int {
	endsOdd := (score > 0) == (ply%2 == 0)
	return pliesLeft(maxPlies, ply, score, endsOdd)
}

// pliesLeft is PliesLeft where it is known whether the game ends with an odd ply, counted from 1 for the first move: WinAt is the
// same at an odd ply and the one after it.
func pliesLeft(maxPlies, ply int, score Score, endsOdd bool) int {
	if score == 0 {
		return maxPlies - ply
	}
	moves := (maxPlies+3)/2 - int(max(score, -score)) // pairs of plies, the last of which may lack its second
	if endsOdd {
		return 2*moves - 1 - ply
	}
	return 2*moves - ply
}

// Ending is a position of a game that does not always end by a move of the winner.
type Ending interface {
	// EndsOdd reports whether games that the side wins end with an odd ply, counted from 1 for the first move.
	EndsOdd(winner game.Side) bool
}

// PliesToEnd is PliesLeft in the position s, also where it is an Ending.
func PliesToEnd[S game.State[S]](maxPlies int, s S, score Score) int {
	e, ok := any(s).(Ending)
	if !ok {
		return PliesLeft(maxPlies, s.Ply(), score)
	}
	winner := s.ToMove() * game.Side(score.Sign())
	return pliesLeft(maxPlies, s.Ply(), score, e.EndsOdd(winner))
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

// Final is the score of a finished game of at most maxPlies plies; over is false while the game goes on.
func Final[S game.State[S]](s S, maxPlies int) (score Score, over bool) {
	z, over := s.Outcome()
	switch {
	case z < 0:
		return -WinAt(maxPlies, s.Ply()), over
	case z > 0:
		return WinAt(maxPlies, s.Ply()), over // the side to move wins by its opponent's move
	}
	return 0, over
}

// EstimateLimit is beyond every estimate: an Estimator's results are strictly between -EstimateLimit and EstimateLimit.
const EstimateLimit = 1 << 28

// Estimator is a position that can guess its worth for the side to move without looking ahead: larger is better, 0 is even,
// within EstimateLimit. It is asked only while the game goes on.
type Estimator interface{ Estimate() int }

// Value is what a search of limited depth knows of a position, for the side to move: an estimate, or beyond
// EstimateLimit, and so above all estimates of one sign, the Score of a proven win or loss. The value 0 is a draw, proven
// or guessed.
type Value int32

// infinity is beyond all values.
const infinity Value = 2 * EstimateLimit

// valueOf is the value of a proven score.
func valueOf(s Score) Value {
	switch s.Sign() {
	case 1:
		return EstimateLimit + Value(s)
	case -1:
		return -EstimateLimit + Value(s)
	}
	return 0
}

// decided reports whether v is a proven win or loss.
func (v Value) decided() bool { return v > EstimateLimit || v < -EstimateLimit }

// Score is the score of a proven win or loss, and 0 for an estimate or a draw.
func (v Value) Score() Score {
	switch {
	case v > EstimateLimit:
		return Score(v - EstimateLimit)
	case v < -EstimateLimit:
		return Score(v + EstimateLimit)
	}
	return 0
}

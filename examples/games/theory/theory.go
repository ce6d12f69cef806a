// Package theory solves textbook games by theory instead of search: Nim by the xor of its piles, Predict the Winner by
// dynamic programming over intervals, Can I Win by dynamic programming over sets.
//
// A score also says how soon the game ends when the winner hurries and the loser delays. This number of plies is the
// remoteness of the position (Steinhaus 1925; Berlekamp, Conway, Guy, "Winning Ways", chapter 9). One recursion finds
// it in Nim and Can I Win; all games of one row of Predict the Winner have the same length.
package theory

import "tengen/solver"

// remoteness collects the moves of a position and gives its end. A position is won if a move leads to a lost position.
type remoteness struct {
	toLost, toWon int16 // 1 + least remoteness of a lost next position and 1 + greatest of a won one; 0 without one
}

// lost adds a move to a position that its side to move loses after plies.
func (r *remoteness) lost(plies int16) {
	if r.toLost == 0 || plies+1 < r.toLost {
		r.toLost = plies + 1
	}
}

// won adds a move to a position that its side to move wins after plies.
func (r *remoteness) won(plies int16) { r.toWon = max(r.toWon, plies+1) }

// end returns the end that follows from the added moves.
func (r *remoteness) end() end {
	if r.toLost > 0 {
		return end{sign: 1, plies: r.toLost}
	}
	return end{sign: -1, plies: r.toWon}
}

// end is the result of a position for the side to move, 1 or -1, and its remoteness. The zero end is a draw.
type end struct {
	sign  int8
	plies int16
}

// score returns the score of a position at a ply of a game of at most maxPlies.
func (e end) score(maxPlies, ply int) solver.Score {
	return solver.Score(e.sign) * solver.WinAt(maxPlies, ply+int(e.plies))
}

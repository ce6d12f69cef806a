// Package theory solves the textbooks' take-away games by their theory: Nim by the xor of its piles, Predict the Winner by dynamic
// programming over intervals, Can I Win by dynamic programming over sets. What packages solver and mcts find by looking ahead is
// known here from the position alone.
//
// Who wins follows from the theory. A score also says how soon, when the winner hurries and the loser delays; that number of plies
// is the remoteness of the position (Steinhaus 1925; Berlekamp, Conway, Guy, "Winning Ways", chapter 9), and is found by the same
// recursion in all of these games.
package theory

import "tengen/solver"

// remoteness is the number of plies to the end of a won or lost position whose moves lead to lost positions of the given
// remotenesses, and to won ones. The position is won if there is a move to a lost one.
type remoteness struct {
	toLost, toWon int16 // 1 + the least and the greatest of them; 0 where there is none
}

// lost takes in a move to a position that is lost for the side to move there.
func (r *remoteness) lost(plies int16) {
	if r.toLost == 0 || plies+1 < r.toLost {
		r.toLost = plies + 1
	}
}

// won takes in a move to a position that is won for the side to move there.
func (r *remoteness) won(plies int16) { r.toWon = max(r.toWon, plies+1) }

// end is the worth of a position by its moves.
func (r *remoteness) end() end {
	if r.toLost > 0 {
		return end{sign: 1, plies: r.toLost}
	}
	return end{sign: -1, plies: r.toWon}
}

// end is how a position ends under perfect play: with which result for the side to move, and after how many plies.
type end struct {
	sign  int8
	plies int16
}

// score is that of a position at a ply in a game of at most maxPlies plies.
func (e end) score(maxPlies, ply int) solver.Score {
	return solver.Score(e.sign) * solver.WinAt(maxPlies, ply+int(e.plies))
}

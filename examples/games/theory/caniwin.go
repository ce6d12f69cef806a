package theory

import (
	"context"

	"games/caniwin"
	"tengen/solver"
)

// CanIWin solves Can I Win. It is immutable and safe for concurrent use.
type CanIWin struct {
	game *caniwin.Game
	ends []end // [2^numbers], by set of taken numbers (n is bit n-1); zero if the game is over or a draw
	sets uint64
}

// NewCanIWin solves a game by dynamic programming over the sets of taken numbers, larger sets first. The set determines
// the sum. The table takes 4 bytes for each of 2^numbers sets.
func NewCanIWin(g *caniwin.Game) *CanIWin {
	numbers := g.Numbers()
	c := &CanIWin{game: g, ends: make([]end, 1<<numbers)}
	if numbers*(numbers+1)/2 < g.Total() {
		return c // a draw
	}
	for taken := len(c.ends) - 1; taken >= 0; taken-- {
		missing := g.Total()
		for i := range numbers {
			missing -= (i + 1) * (taken >> i & 1)
		}
		if missing > 0 {
			c.ends[taken] = c.end(taken, missing)
			c.sets++
		}
	}
	return c
}

// end returns the end for a set of taken numbers with missing left to the total. The ends of all larger sets must be
// known.
func (c *CanIWin) end(taken, missing int) end {
	var r remoteness
	for i := range c.game.Numbers() {
		switch next := c.ends[taken|1<<i]; {
		case taken>>i&1 != 0:
		case i+1 >= missing:
			return end{sign: 1, plies: 1}
		case next.sign < 0:
			r.lost(next.plies)
		default:
			r.won(next.plies)
		}
	}
	return r.end()
}

// Solve returns the score of s, a position of the solver's game.
func (c *CanIWin) Solve(_ context.Context, s caniwin.State) (solver.Score, error) {
	plies := c.game.MaxPlies()
	if score, over := solver.Final(s, plies); over {
		return score, nil
	}
	return c.ends[s.Taken()].score(plies, s.Ply()), nil
}

// Nodes returns the number of sets that do not end the game.
func (c *CanIWin) Nodes() uint64 { return c.sets }

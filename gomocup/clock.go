package gomocup

import (
	"math"
	"time"
)

// clock says how long a move may take.
type clock struct {
	turn      time.Duration // the limit of a move; 0: as fast as possible
	match     time.Duration // the limit of all moves of a game; 0: none
	left      time.Duration // for all moves to come, where limited; may be below 0
	limited   bool
	increment time.Duration // added to left after each move
	overrun   time.Duration // the most by which an answer has come later than it was wanted: the slowest batch, and the system
}

// newClock has the limits of the protocol's skeleton, for managers that name none.
func newClock() clock { return clock{turn: 30 * time.Second} }

// start begins a game.
func (c *clock) start() { c.left, c.limited = c.match, c.match > 0 }

const (
	// overhead is the time that the ways of a command and of its answer may take.
	overhead = 50 * time.Millisecond
	// movesLeft is the number of moves that the time left is divided by. Whatever the length of the game, some is left.
	movesLeft = 15
)

// budget is the time to think about the next move, 0: an answer without a search. It is what the limits allow less overhead and
// overrun, or half of it where that is more.
func (c *clock) budget() time.Duration {
	limit := c.limit()
	if c.limited {
		limit = min(limit, max(0, c.left)/movesLeft+c.increment)
	}
	return max(limit/2, limit-overhead-c.overrun)
}

// limit is the time after which the move is lost.
func (c *clock) limit() time.Duration {
	if c.limited {
		return min(c.turn, max(0, c.left))
	}
	return c.turn
}

// patience is how long to wait for a thought, which should have ended at its budget but may have to wait for a busy processor. There
// is no end to it where a move has no time anyway.
func (c *clock) patience() time.Duration {
	if limit := c.limit(); limit > 0 {
		return max(limit/2, limit-overhead/2)
	}
	return math.MaxInt64
}

// spend counts what a move took of the match, and by how much it came too late.
func (c *clock) spend(budget, took time.Duration) {
	c.left += c.increment - took
	if budget > 0 {
		c.overrun = max(c.overrun, took-budget)
	}
}

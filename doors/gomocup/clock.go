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
	told      bool          // whether left is what the manager has said since the last move
	increment time.Duration // added to left after each move
	overrun   time.Duration // the most by which an answer has come later than it was wanted: the slowest batch, and the system
}

// newClock has the limits of the protocol's skeleton, for managers that name none.
func newClock() clock { return clock{turn: 30 * time.Second} }

// start begins a game, with all the time of a match unless the manager has said what is left: Yixin-Board does so before START.
func (c *clock) start() {
	if !c.told {
		c.left, c.limited = c.match, c.match > 0
	}
}

const (
	// overhead is the time that the ways of a command and of its answer may take.
	overhead = 50 * time.Millisecond
	// movesLeft is the number of moves that the time left is divided by. Whatever the length of the game, some is left.
	movesLeft = 15
)

// budget is the time to think about the next move, 0: an answer without a search. It is what the limits allow less overhead and
// overrun, or half of it where that is more.
func (c *clock) budget() time.Duration {
	limit := c.turn
	if left := max(0, c.left); c.limited {
		limit = min(limit, left/movesLeft+c.increment, left)
	}
	return max(limit/2, limit-overhead-c.overrun)
}

// patience is how long to wait for a thought, which should have ended at its budget but may have to wait for a busy processor: there
// has to be time for other moves, too. Where each is to be as fast as possible, there is no end to it.
func (c *clock) patience() time.Duration {
	if c.turn == 0 {
		return math.MaxInt64
	}
	patience := max(c.turn/2, c.turn-overhead/2)
	if left := max(0, c.left); c.limited {
		patience = min(patience, 3*(left/movesLeft)+c.increment+overhead, max(overhead, left-overhead/2))
	}
	return patience
}

// spend counts what a move took of the match, and by how much it came too late.
func (c *clock) spend(budget, took time.Duration) {
	c.left += c.increment - took
	c.told = false
	if budget > 0 {
		c.overrun = max(c.overrun, took-budget)
	}
}

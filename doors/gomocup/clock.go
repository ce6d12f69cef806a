package gomocup

import (
	"math"
	"time"
)

type clock struct {
	turn      time.Duration // for a move; 0: as fast as possible
	match     time.Duration // for a game; 0: no limit
	left      time.Duration // of match, if limited; may be negative
	limited   bool
	leftSet   bool          // the manager has set left since the last move
	increment time.Duration // after each move
	overrun   time.Duration // the longest so far
}

// newClock returns the limits before the manager sends any. The protocol's skeleton program has the same ones.
func newClock() clock { return clock{turn: 30 * time.Second} }

// start begins a game with the match's time, unless the manager has set left, as Yixin-Board does before START.
func (c *clock) start() {
	if !c.leftSet {
		c.left, c.limited = c.match, c.match > 0
	}
}

const (
	overhead  = 50 * time.Millisecond // for sending a command and its answer
	movesLeft = 15                    // a move gets this part of left
)

// budget returns the time for the next move: the limits less overhead and overrun, at least half of them. 0 means no
// search.
func (c *clock) budget() time.Duration {
	limit := c.turn
	if left := max(0, c.left); c.limited {
		limit = min(limit, left/movesLeft+c.increment, left)
	}
	return max(limit/2, limit-overhead-c.overrun)
}

// timeout returns how long to wait for a thought. On a busy processor, thoughts exceed their budgets. With turn 0,
// there is no limit.
func (c *clock) timeout() time.Duration {
	if c.turn == 0 {
		return math.MaxInt64
	}
	timeout := max(c.turn/2, c.turn-overhead/2)
	if left := max(0, c.left); c.limited {
		timeout = min(timeout, 3*(left/movesLeft)+c.increment+overhead, max(overhead, left-overhead/2))
	}
	return timeout
}

func (c *clock) spend(budget, took time.Duration) {
	c.left += c.increment - took
	c.leftSet = false
	if budget > 0 {
		c.overrun = max(c.overrun, took-budget)
	}
}

package manager

import (
	"math"
	"time"
)

// Clock holds the time that a manager gives.
type Clock struct {
	Turn      time.Duration // for a move; 0: as fast as possible
	Match     time.Duration // for a game; 0: no limit
	Left      time.Duration // of Match, if Limited; may be negative
	Limited   bool
	LeftSet   bool          // the manager has set Left since the last move
	Increment time.Duration // after each move
	overrun   time.Duration // the longest so far
}

// Start begins a game with the match's time, unless the manager has set Left, as Yixin-Board does before START.
func (c *Clock) Start() {
	if !c.LeftSet {
		c.Left, c.Limited = c.Match, c.Match > 0
	}
}

const (
	overhead  = 50 * time.Millisecond // for sending a command and its answer
	movesLeft = 15                    // a move gets this part of Left
)

// Budget returns the time for the next move: the limits less overhead and overrun, at least half of them. 0 means no
// search.
func (c *Clock) Budget() time.Duration {
	limit := c.Turn
	if left := max(0, c.Left); c.Limited {
		limit = min(limit, left/movesLeft+c.Increment, left)
	}
	return max(limit/2, limit-overhead-c.overrun)
}

// Timeout returns how long to wait for a thought. On a busy processor, thoughts exceed their budgets. With Turn 0,
// there is no limit.
func (c *Clock) Timeout() time.Duration {
	if c.Turn == 0 {
		return math.MaxInt64
	}
	timeout := max(c.Turn/2, c.Turn-overhead/2)
	if left := max(0, c.Left); c.Limited {
		timeout = min(timeout, 3*(left/movesLeft)+c.Increment+overhead, max(overhead, left-overhead/2))
	}
	return timeout
}

// Spend counts a move that took longer or shorter than its budget.
func (c *Clock) Spend(budget, took time.Duration) {
	c.Left += c.Increment - took
	c.LeftSet = false
	if budget > 0 {
		c.overrun = max(c.overrun, took-budget)
	}
}

package manager

import (
	"math"
	"testing"
	"time"
)

func TestBudget(t *testing.T) {
	const s, ms = time.Second, time.Millisecond
	for _, test := range []struct {
		clock           Clock
		budget, timeout time.Duration
	}{
		{Clock{Turn: 30 * s}, 30*s - overhead, 30*s - overhead/2},
		{Clock{Turn: 0}, 0, math.MaxInt64},
		{Clock{Turn: 5 * s}, 5*s - overhead, 5*s - overhead/2},
		{Clock{Turn: 5 * s, Left: 60 * s, Limited: true}, 4*s - overhead, 5*s - overhead/2},
		{Clock{Turn: 5 * s, Left: 600 * s, Limited: true}, 5*s - overhead, 5*s - overhead/2},
		{Clock{Turn: 5 * s, Left: 3 * s, Limited: true, Increment: s}, 1200*ms - overhead, 1600*ms + overhead},
		{Clock{Turn: 5 * s, Left: 500 * ms, Limited: true, Increment: s}, 500*ms - overhead, 500*ms - overhead/2},
		{Clock{Turn: 5 * s, Left: 300 * ms, Limited: true}, 10 * ms, 60*ms + overhead},
		{Clock{Turn: 5 * s, Left: -s, Limited: true}, 0, overhead},
		{Clock{Turn: s, overrun: 200 * ms}, 800*ms - overhead, s - overhead/2},
		{Clock{Turn: s, overrun: 900 * ms}, 500 * ms, s - overhead/2},
		{Clock{Turn: 20 * ms}, 10 * ms, 10 * ms},
	} {
		if budget, timeout := test.clock.Budget(), test.clock.Timeout(); budget != test.budget || timeout != test.timeout {
			t.Errorf("%+v: budget %v, timeout %v; want %v, %v", test.clock, budget, timeout, test.budget, test.timeout)
		}
	}
}

// However long the game, the time of the match is not used up by moves that take what they may.
func TestMatchTimeLasts(t *testing.T) {
	c := Clock{Turn: 30 * time.Second, Match: 180 * time.Second}
	c.Start()
	for move := range 200 {
		budget := c.Budget()
		c.Spend(budget, budget)
		if c.Left <= 0 {
			t.Fatalf("%v left after %d moves", c.Left, move+1)
		}
	}
}

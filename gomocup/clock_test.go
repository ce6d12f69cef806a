package gomocup

import (
	"testing"
	"time"
)

func TestBudget(t *testing.T) {
	const s, ms = time.Second, time.Millisecond
	for _, test := range []struct {
		clock clock
		want  time.Duration
	}{
		{newClock(), 30*s - overhead},
		{clock{turn: 0}, 0},
		{clock{turn: 5 * s}, 5*s - overhead},
		{clock{turn: 5 * s, left: 60 * s, limited: true}, 4*s - overhead},
		{clock{turn: 5 * s, left: 600 * s, limited: true}, 5*s - overhead},
		{clock{turn: 5 * s, left: 3 * s, limited: true, increment: s}, 1200*ms - overhead},
		{clock{turn: 5 * s, left: 500 * ms, limited: true, increment: s}, 500*ms - overhead},
		{clock{turn: 5 * s, left: -s, limited: true}, 0},
		{clock{turn: s, overrun: 200 * ms}, 800*ms - overhead},
		{clock{turn: s, overrun: 900 * ms}, 500 * ms},
		{clock{turn: 20 * ms}, 10 * ms},
	} {
		got := test.clock.budget()
		if got != test.want {
			t.Errorf("%+v: budget %v; want %v", test.clock, got, test.want)
		}
		if limit, patience := test.clock.limit(), test.clock.patience(); limit > 0 && (patience < got || patience >= limit) {
			t.Errorf("%+v: patience %v, between the budget %v and the limit %v", test.clock, patience, got, limit)
		}
	}
}

// However long the game, the time of the match is not used up by moves that take what they may.
func TestMatchTimeLasts(t *testing.T) {
	c := clock{turn: 30 * time.Second, match: 180 * time.Second}
	c.start()
	for move := range 200 {
		budget := c.budget()
		c.spend(budget, budget)
		if c.left <= 0 {
			t.Fatalf("%v left after %d moves", c.left, move+1)
		}
	}
}

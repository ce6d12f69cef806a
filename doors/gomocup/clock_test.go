package gomocup

import (
	"io"
	"math"
	"testing"
	"time"
)

func TestBudget(t *testing.T) {
	const s, ms = time.Second, time.Millisecond
	for _, test := range []struct {
		clock           clock
		budget, timeout time.Duration
	}{
		{newClock(), 30*s - overhead, 30*s - overhead/2},
		{clock{turn: 0}, 0, math.MaxInt64},
		{clock{turn: 5 * s}, 5*s - overhead, 5*s - overhead/2},
		{clock{turn: 5 * s, left: 60 * s, limited: true}, 4*s - overhead, 5*s - overhead/2},
		{clock{turn: 5 * s, left: 600 * s, limited: true}, 5*s - overhead, 5*s - overhead/2},
		{clock{turn: 5 * s, left: 3 * s, limited: true, increment: s}, 1200*ms - overhead, 1600*ms + overhead},
		{clock{turn: 5 * s, left: 500 * ms, limited: true, increment: s}, 500*ms - overhead, 500*ms - overhead/2},
		{clock{turn: 5 * s, left: 300 * ms, limited: true}, 10 * ms, 60*ms + overhead},
		{clock{turn: 5 * s, left: -s, limited: true}, 0, overhead},
		{clock{turn: s, overrun: 200 * ms}, 800*ms - overhead, s - overhead/2},
		{clock{turn: s, overrun: 900 * ms}, 500 * ms, s - overhead/2},
		{clock{turn: 20 * ms}, 10 * ms, 10 * ms},
	} {
		if budget, timeout := test.clock.budget(), test.clock.timeout(); budget != test.budget || timeout != test.timeout {
			t.Errorf("%+v: budget %v, timeout %v; want %v, %v", test.clock, budget, timeout, test.budget, test.timeout)
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

// Time that the manager says is left holds from then on, whenever it says so before the move; the next game has all of it again.
func TestTimeLeftBeforeStart(t *testing.T) {
	s := newSession(t, quiet(t, "random"), io.Discard)
	tell := func(name, text string) { s.obey(t.Context(), command{name: name, text: text}) }
	tell("INFO", "timeout_match 300000")
	tell("INFO", "time_left 40000")
	tell("START", "15")
	if s.clock.left != 40*time.Second {
		t.Errorf("%v left, want 40 s", s.clock.left)
	}
	s.clock.spend(time.Second, time.Second)
	tell("START", "15")
	if s.clock.left != 300*time.Second {
		t.Errorf("%v left in the next game, want 300 s", s.clock.left)
	}
}

// A limit beyond all numbers is none, and lifts the one before.
func TestHugeLimit(t *testing.T) {
	s := newSession(t, quiet(t, "random"), io.Discard)
	for _, text := range []string{"max_node 10000", "max_node 18446744073709551615"} {
		s.obey(t.Context(), command{name: "INFO", text: text})
	}
	if s.info.nodes != 0 {
		t.Errorf("%d nodes, want no limit", s.info.nodes)
	}
}

package gomocup

import (
	"io"
	"testing"
	"time"
)

// Time that the manager says is left holds from then on, whenever it says so before the move; the next game has all of it again.
func TestTimeLeftBeforeStart(t *testing.T) {
	s := newGame(t, quiet(t, "random"), io.Discard)
	tell := func(name, text string) { s.Do(t.Context(), command{name: name, text: text}) }
	tell("INFO", "timeout_match 300000")
	tell("INFO", "time_left 40000")
	tell("START", "15")
	if s.clock.Left != 40*time.Second {
		t.Errorf("%v left, want 40 s", s.clock.Left)
	}
	s.clock.Spend(time.Second, time.Second)
	tell("START", "15")
	if s.clock.Left != 300*time.Second {
		t.Errorf("%v left in the next game, want 300 s", s.clock.Left)
	}
}

// A limit beyond all numbers is none, and lifts the one before.
func TestHugeLimit(t *testing.T) {
	s := newGame(t, quiet(t, "random"), io.Discard)
	for _, text := range []string{"max_node 10000", "max_node 18446744073709551615"} {
		s.Do(t.Context(), command{name: "INFO", text: text})
	}
	if s.info.nodes != 0 {
		t.Errorf("%d nodes, want no limit", s.info.nodes)
	}
}

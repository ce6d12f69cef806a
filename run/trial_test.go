package run

import (
	"context"
	"errors"
	"math"
	"testing"
	"time"
)

// A trial trains at least once, on games that it does not judge, and leaves nothing behind.
func TestTry(t *testing.T) {
	for _, name := range []string{"tictactoe", "connect4:4,4,3"} {
		r, err := Try(t.Context(), open(t, name), time.Nanosecond)
		noError(t, err)
		if r.Games == 0 || r.Unseen == 0 || r.Positions < r.Unseen || r.Seconds <= 0 {
			t.Errorf("%s: %+v", name, r)
		}
		if r.ValueError <= 0 || r.ValueError > 4 || r.ConstantError <= 0 || r.ConstantError > 1 {
			t.Errorf("%s: errors of results from -1 to 1 are %v and %v", name, r.ValueError, r.ConstantError)
		}
	}
	for name, drawn := range map[string]bool{"mnk:1,1,1": false, "mnk:2,1,2": true} { // which end before openings for matches do
		r, err := Try(t.Context(), open(t, name), time.Nanosecond)
		if err != nil || r.Positions == 0 || math.IsNaN(r.ValueError) || r.Learned || drawn != (r.Draws == r.Unseen) {
			t.Errorf("%s: %+v, %v", name, r, err)
		}
	}
	if mb := trialConfig(open(t, "tictactoe")).Selfplay.CacheMegabytes; mb != 0 {
		t.Errorf("a cache of %d MB would keep evaluations of earlier rounds' networks", mb)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if r, err := Try(ctx, open(t, "tictactoe"), time.Hour); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %+v, %v", r, err)
	}
}

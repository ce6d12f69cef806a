package train

import (
	"testing"
	"time"
)

// A run of five iterations, two of which were there before, and 30 games of the third.
func TestPace(t *testing.T) {
	start := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	p := Pace{First: 2}
	if p.InPhase(start) != 0 || p.GamesPerSecond(start) != 0 || p.Left(start) != 0 || p.Event().Phase != "" {
		t.Errorf("%+v knows something before any event", p)
	}
	for _, c := range []struct {
		seconds   int
		iteration int
		phase     Phase
		done      int
		begins    bool
		games     float64 // a second, ten seconds later
		left      int     // seconds, then
	}{
		{0, 3, PhaseSelfPlay, 0, true, 0, 0},
		{0, 3, PhaseSelfPlay, 30, false, 0, 0}, // of the games that were there nobody knows how long they took
		{10, 3, PhaseSelfPlay, 70, false, 2, 0},
		{20, 3, PhaseTrain, 0, true, 0, 0},
		{30, 3, PhaseTrain, 5, false, 0, 0},
		{40, 3, PhaseDone, 0, true, 0, 70},
		{40, 4, PhaseSelfPlay, 0, true, 0, 70},
		{50, 4, PhaseSelfPlay, 0, false, 0, 60},
		{60, 4, PhaseSelfPlay, 60, false, 2, 50},
		{90, 4, PhaseTrain, 5, true, 0, 40}, // it takes longer than the one before, but the next may not
		{100, 4, PhaseDone, 0, true, 0, 40},
		{100, 5, PhaseSelfPlay, 0, true, 0, 40},
		{190, 5, PhaseDone, 0, true, 0, 0},
	} {
		at := start.Add(time.Duration(c.seconds) * time.Second)
		e := Event{Iteration: c.iteration, Iterations: 5, Phase: c.phase, Done: c.done}
		if begins := p.Observe(e, at); begins != c.begins {
			t.Errorf("%+v: a phase begins: %v", c, begins)
		}
		later := at.Add(10 * time.Second)
		if games := p.GamesPerSecond(later); games != c.games {
			t.Errorf("%+v: %v games/s", c, games)
		}
		if left := p.Left(later); left != time.Duration(c.left)*time.Second {
			t.Errorf("%+v: %v left", c, left)
		}
		if c.begins && p.InPhase(later) != 10*time.Second || p.Event() != e {
			t.Errorf("%+v: %v in the phase, event %+v", c, p.InPhase(later), p.Event())
		}
	}
}

// Games that are reported in the instant in which their phase begins have no speed yet.
func TestPaceInAnInstant(t *testing.T) {
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	var p Pace
	for done := range 3 {
		p.Observe(Event{Iteration: 1, Iterations: 5, Phase: PhaseSelfPlay, Done: done}, now)
	}
	if games := p.GamesPerSecond(now); games != 0 {
		t.Errorf("%v games/s", games)
	}
	if games := p.GamesPerSecond(now.Add(time.Second)); games != 1 {
		t.Errorf("%v games/s a second later, want 1", games)
	}
}

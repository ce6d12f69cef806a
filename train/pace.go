package train

import "time"

// Pace says how fast a run goes and how long it still takes, by its events and when they came. It is for those who show it, and not
// safe for concurrent use.
type Pace struct {
	First int // iterations committed before the events

	began     time.Time // the first event
	committed time.Time // the last iteration that was, began if none
	done      int       // iterations committed since
	event     Event     // the newest
	since     time.Time // its phase began
	told      bool      // whether a second event of the phase has come
	found     int       // what the phase had done before it began: games that an earlier process has played
}

// Observe takes an event. It reports whether a phase begins with it.
func (p *Pace) Observe(e Event, now time.Time) (begins bool) {
	if p.began.IsZero() {
		p.began, p.committed = now, now
	}
	begins = e.Phase != p.event.Phase || e.Iteration != p.event.Iteration
	switch p.event = e; {
	case begins:
		p.since, p.told, p.found = now, false, 0
	case !p.told: // see Request.Progress
		p.told, p.found = true, e.Done
	}
	if e.Phase == PhaseDone {
		p.committed, p.done = now, e.Iteration-p.First
	}
	return begins
}

// Event is the newest event; that of no phase before any.
func (p *Pace) Event() Event { return p.event }

// InPhase is for how long the phase of the newest event has lasted.
func (p *Pace) InPhase(now time.Time) time.Duration {
	if p.began.IsZero() {
		return 0
	}
	return now.Sub(p.since)
}

// GamesPerSecond is how fast the games of self-play under way are played, 0 where it is not known.
func (p *Pace) GamesPerSecond(now time.Time) float64 {
	played, seconds := p.event.Done-p.found, p.InPhase(now).Seconds()
	if p.event.Phase != PhaseSelfPlay || played <= 0 || seconds <= 0 {
		return 0
	}
	return float64(played) / seconds
}

// Left is about how long the run still takes if its iterations take as long as those that this process has seen, 0 before one of them.
// An iteration that takes longer than they did counts as nearly done.
func (p *Pace) Left(now time.Time) time.Duration {
	if p.done == 0 {
		return 0
	}
	each := p.committed.Sub(p.began) / time.Duration(p.done)
	rest := p.event.Iterations - p.First - p.done
	return max(0, each*time.Duration(rest)-min(each, now.Sub(p.committed)))
}

package train

import "time"

// Pace computes a run's speed and remaining time from its events. It is not safe for concurrent use.
type Pace struct {
	First int // iterations committed before the events

	began     time.Time
	committed time.Time // end of the last committed iteration; began if none
	done      int       // iterations committed since began
	event     Event     // the newest
	since     time.Time // start of the phase
	second    bool      // the phase has had a second event
	earlier   int       // games played before the phase or by an earlier process
}

// Observe records an event and reports whether it begins a phase.
func (p *Pace) Observe(e Event, now time.Time) (begins bool) {
	if p.began.IsZero() {
		p.began, p.committed = now, now
	}
	begins = e.Phase != p.event.Phase || e.Iteration != p.event.Iteration
	switch p.event = e; {
	case begins:
		p.since, p.second, p.earlier = now, false, 0
	case !p.second: // it tells the earlier games, see order.progress
		p.second, p.earlier = true, e.Done
	}
	if e.Phase == PhaseDone {
		p.committed, p.done = now, e.Iteration-p.First
	}
	return begins
}

// Event returns the newest event, the zero Event before any.
func (p *Pace) Event() Event { return p.event }

// InPhase returns the time since the newest event's phase began.
func (p *Pace) InPhase(now time.Time) time.Duration {
	if p.began.IsZero() {
		return 0
	}
	return now.Sub(p.since)
}

// GamesPerSecond returns the speed of the current self-play, 0 if unknown.
func (p *Pace) GamesPerSecond(now time.Time) float64 {
	played, seconds := p.event.Done-p.earlier, p.InPhase(now).Seconds()
	if p.event.Phase != PhaseSelfPlay || played <= 0 || seconds <= 0 {
		return 0
	}
	return float64(played) / seconds
}

// Left estimates the remaining time from the mean duration of the iterations so far, 0 before the first. An iteration
// that takes longer than the mean counts as nearly done.
func (p *Pace) Left(now time.Time) time.Duration {
	if p.done == 0 {
		return 0
	}
	each := p.committed.Sub(p.began) / time.Duration(p.done)
	rest := p.event.Iterations - p.First - p.done
	return max(0, each*time.Duration(rest)-min(each, now.Sub(p.committed)))
}

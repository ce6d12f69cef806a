package train

// Phase is what a loop is doing.
type Phase string

const (
	PhaseSelfPlay Phase = "selfplay"
	PhaseTrain    Phase = "train"
	PhaseGate     Phase = "gate"
	PhaseEvaluate Phase = "evaluate"
	PhasePublish  Phase = "publish"
	PhaseDone     Phase = "done" // the iteration is committed; Event.Metrics is about it
)

// Event tells an observer how far the loop has come.
type Event struct {
	Iteration, Iterations int // under way, from 1, of how many
	Phase                 Phase
	Done, Total           int      // games in PhaseSelfPlay, steps in PhaseTrain, else 0
	Metrics               *Metrics // of the last committed iteration of this process, nil before; not to be changed
}

// report tells the observer where the loop is. Self-play calls it from several goroutines, in any order: what is behind
// what was reported before is left out.
func (l *Loop) report(m *Metrics, phase Phase, done, total int) {
	if l.Observe == nil {
		return
	}
	l.observing.Lock()
	defer l.observing.Unlock()
	e := Event{Iteration: m.Iteration, Iterations: l.Config.Iterations, Phase: phase, Done: done, Total: total, Metrics: l.last.Metrics}
	if phase == PhaseDone {
		e.Metrics = m
	}
	if e.Iteration == l.last.Iteration && e.Phase == l.last.Phase && e.Done < l.last.Done {
		return
	}
	l.last = e
	l.Observe(e)
}

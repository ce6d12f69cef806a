package runs

import (
	"context"
	"fmt"
	"net/http"
	"sync"
	"time"

	"tengen/doors/web/answer"
	"tengen/run"
	"tengen/train"
	"tengen/train/checkpoint"
)

// Live passes the events of this process's training run to clients. It is safe for concurrent use.
type Live struct {
	// Stop ends the training. The server calls it after the iteration in which a visitor asked for it. nil: visitors
	// cannot stop the training, since they have no token.
	Stop func()

	Dir string // of the run

	now func() time.Time

	mu       sync.Mutex
	training *run.Training // nil before Attach
	pace     train.Pace
	ended    bool
	stopping bool          // a visitor has asked to stop after this iteration
	changed  chan struct{} // closed, and replaced, when the phase changes
}

// NewLive returns the Live of a run directory, for Observe and Attach to fill.
func NewLive(dir string) *Live {
	return &Live{Dir: dir, now: time.Now, changed: make(chan struct{})}
}

// Attach sets the training.
func (l *Live) Attach(t *run.Training) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.training, l.pace.First = t, t.Iteration()
}

// End tells the streams that the training has ended.
func (l *Live) End() { l.set(&l.ended) }

// Observe takes an event, as run.TrainConfig.Observe does.
func (l *Live) Observe(e train.Event) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.pace.Observe(e, l.now()) {
		l.wake()
	}
	if l.stopping && e.Phase == train.PhaseDone {
		l.Stop()
	}
}

// set sets one of l's flags and wakes the streams.
func (l *Live) set(flag *bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	*flag = true
	l.wake()
}

func (s *Server) serveStop(w http.ResponseWriter, r *http.Request, _ answer.Query, run *Run) error {
	switch {
	case r.Method != http.MethodPost:
		w.Header().Set("Allow", http.MethodPost)
		return answer.Error{Status: http.StatusMethodNotAllowed, Text: r.Method + " is not allowed to stop a run: use POST"}
	case run.Live == nil:
		return answer.Error{Status: http.StatusConflict, Text: "this process does not train the run: stop the one that does"}
	case run.Live.Stop == nil:
		return answer.Error{Status: http.StatusForbidden, Text: "stopping needs a token, and this address has none: press Ctrl-C where the training runs"}
	}
	run.Live.set(&run.Live.stopping)
	return answer.JSON(w, r, struct{}{})
}

func (l *Live) wake() {
	close(l.changed)
	l.changed = make(chan struct{})
}

// LiveJSON is the progress of the run that this process trains.
type LiveJSON struct {
	Phase          string       `json:"phase"`
	Iteration      int          `json:"iteration"`
	Iterations     int          `json:"iterations"`
	Done           int          `json:"done"`
	Total          int          `json:"total"`
	PhaseSeconds   float64      `json:"phase_seconds"`
	GamesPerSecond *float64     `json:"games_per_second"`
	SecondsLeft    *float64     `json:"seconds_left"`
	Finished       bool         `json:"finished"`
	Stopping       bool         `json:"stopping"`  // after this iteration
	Stoppable      bool         `json:"stoppable"` // by this visitor
	Workers        []workerJSON `json:"workers"`
	Waiting        *string      `json:"waiting"` // how long training and workers waited for each other, for people; or null
}

type workerJSON struct {
	Worker         string  `json:"worker"`
	State          string  `json:"state"`
	Games          int64   `json:"games"`
	GamesPerSecond float64 `json:"games_per_second"`
}

// Phases besides package train's.
const (
	phaseStarting = "starting"
	phaseEnded    = "ended"
)

// state returns the training's state, whether it has ended, and a channel that closes when its phase changes.
func (l *Live) state() (j LiveJSON, ended bool, changed <-chan struct{}) {
	l.mu.Lock()
	defer l.mu.Unlock()
	e, now := l.pace.Event(), l.now()
	j = LiveJSON{
		Phase: string(e.Phase), Iteration: e.Iteration, Iterations: e.Iterations, Done: e.Done, Total: e.Total,
		PhaseSeconds: l.pace.InPhase(now).Seconds(), Finished: l.ended, Stopping: l.stopping,
		Stoppable: l.Stop != nil, Workers: []workerJSON{},
	}
	if games := l.pace.GamesPerSecond(now); games > 0 && !l.ended {
		j.GamesPerSecond = &games
	}
	switch left := l.pace.Left(now); {
	case l.ended:
		j.Phase, j.PhaseSeconds = phaseEnded, 0
	case e.Phase == "":
		j.Phase = phaseStarting
	case left > 0:
		j.SecondsLeft = new(left.Seconds())
	}
	if l.training != nil && !l.ended {
		for _, w := range l.training.Workers() {
			j.Workers = append(j.Workers, workerJSON{w.Name, w.State, w.Games, w.GamesRate})
		}
		j.Waiting = waiting(len(j.Workers), e.Metrics)
	}
	return j, l.ended, l.changed
}

// waiting says how long training and its workers waited for each other in the last iteration, nil without one.
func waiting(workers int, m *checkpoint.Metrics) *string {
	if workers == 0 || m == nil {
		return nil
	}
	return new(fmt.Sprintf("In iteration %d, %s.", m.Iteration, run.WaitText(m.Seconds)))
}

func (l *Live) recorded(ctx context.Context) (*run.Run, error) {
	l.mu.Lock()
	t := l.training
	l.mu.Unlock()
	if t == nil {
		return nil, answer.Error{Status: http.StatusConflict, Text: "training has not begun yet: try again"}
	}
	return t.Recorded(ctx)
}

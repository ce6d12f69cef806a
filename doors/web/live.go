package web

import (
	"context"
	"fmt"
	"net/http"
	"path/filepath"
	"sync"
	"time"

	"tengen/internal/files"
	"tengen/run"
	"tengen/train"
	"tengen/train/checkpoint"
)

// Live passes the events of this process's training run to clients. It is safe for concurrent use.
type Live struct {
	// Stop ends the training. The server calls it after the iteration in which a visitor asked for it. nil: visitors
	// cannot stop the training.
	Stop func()

	dir string
	now func() time.Time

	mu       sync.Mutex
	training *run.Training // nil before Serve
	guarded  bool          // visitors have the token
	pace     train.Pace
	ended    bool
	stopping bool          // a visitor has asked to stop after this iteration
	changed  chan struct{} // closed, and replaced, when the phase changes
}

// NewLive returns the Live of a run directory, for Observe and Serve to fill.
func NewLive(dir string) *Live {
	return &Live{dir: dir, now: time.Now, changed: make(chan struct{})}
}

// attach sets the training, and whether its visitors have a token.
func (l *Live) attach(t *run.Training, guarded bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.training, l.guarded, l.pace.First = t, guarded, t.Iteration()
}

// Serve answers at an address until stop is called. Call stop before the training is closed. At most one search or
// solver runs at a time, on one core. If the address needs a token, the run directory holds it.
func (l *Live) Serve(address string, t *run.Training, o Options) (page string, stop func() error, err error) {
	token := filepath.Join(l.dir, "http-token")
	if err := files.Check(token); err != nil {
		return "", nil, err
	}
	ctx, cancel := context.WithCancel(context.Background())
	o.Live, o.Threads, o.Searches = l, 1, 1
	d, err := Listen{Address: address, TokenFile: token}.open(ctx, o)
	if err != nil {
		cancel()
		return "", nil, err
	}
	l.attach(t, d.server.options.Token != "")
	done := make(chan error, 1)
	go func() { done <- d.serve(ctx) }()
	return d.page(), func() error {
		l.set(&l.ended)
		cancel()
		return <-done
	}, nil
}

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

func (s *Server) serveStop(w http.ResponseWriter, r *http.Request, _ query, run *servedRun) error {
	switch {
	case r.Method != http.MethodPost:
		w.Header().Set("Allow", http.MethodPost)
		return statusError{http.StatusMethodNotAllowed, r.Method + " is not allowed to stop a run: use POST"}
	case run.live == nil || run.live.Stop == nil:
		return statusError{http.StatusConflict, "this process does not train the run: stop the one that does"}
	case s.options.Token == "":
		return statusError{http.StatusForbidden, "stopping needs a token, and this address has none: press Ctrl-C where the training runs"}
	}
	run.live.set(&run.live.stopping)
	return writeJSON(w, struct{}{})
}

func (l *Live) wake() {
	close(l.changed)
	l.changed = make(chan struct{})
}

type liveJSON struct {
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
func (l *Live) state() (j liveJSON, ended bool, changed <-chan struct{}) {
	l.mu.Lock()
	defer l.mu.Unlock()
	e, now := l.pace.Event(), l.now()
	j = liveJSON{
		Phase: string(e.Phase), Iteration: e.Iteration, Iterations: e.Iterations, Done: e.Done, Total: e.Total,
		PhaseSeconds: l.pace.InPhase(now).Seconds(), Finished: l.ended, Stopping: l.stopping,
		Stoppable: l.Stop != nil && l.guarded, Workers: []workerJSON{},
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
		j.SecondsLeft = ptr(left.Seconds())
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
	return ptr(fmt.Sprintf("In iteration %d, %s.", m.Iteration, run.WaitText(m.Seconds)))
}

func (l *Live) recorded(ctx context.Context) (*run.Run, error) {
	l.mu.Lock()
	t := l.training
	l.mu.Unlock()
	if t == nil {
		return nil, statusError{http.StatusConflict, "training has not begun yet: try again"}
	}
	return t.Recorded(ctx)
}

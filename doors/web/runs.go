package web

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"net/http"
	"reflect"
	"strings"
	"time"

	"tengen/replay"
	"tengen/run"
	"tengen/train/checkpoint"
)

type runJSON struct {
	Name       string     `json:"name"`
	Game       string     `json:"game"`
	Iteration  int        `json:"iteration"`
	Iterations int        `json:"iterations"`
	Games      uint64     `json:"games"`
	Positions  uint64     `json:"positions"`
	Models     []int      `json:"models"`
	Training   bool       `json:"training"`
	Time       *time.Time `json:"time"`
	Error      *string    `json:"error"`
}

// summary returns the run's progress and configuration.
func (r *servedRun) summary(ctx context.Context) (j runJSON, c config) {
	j = runJSON{Name: r.name, Models: []int{}}
	c, err := r.config(ctx)
	if r.live != nil {
		_, ended, _ := r.live.state()
		j.Training = !ended
	} else if err == nil {
		j.Training = checkpoint.Held(r.dir)
	}
	var m checkpoint.Metrics
	if err == nil {
		j.Game, j.Iterations = c.game.Info().Name, c.Train.Iterations
		m, err = r.newest(ctx)
	}
	if err != nil {
		j.Error = ptr(r.unreadable(err))
		return j, c
	}
	if m.Iteration > 0 {
		j.Iteration, j.Games, j.Positions = m.Iteration, m.Games, m.Positions
		j.Iterations = max(j.Iterations, m.Iteration) // train.iterations may have been lowered
		j.Time = &m.Time
	}
	if models, err := checkpoint.ModelFiles(r.dir); err == nil {
		for _, m := range models {
			j.Models = append(j.Models, m.Iteration)
		}
	}
	return j, c
}

func (r *servedRun) lines(metrics []checkpoint.Metrics) []checkpoint.Line {
	lines, err := checkpoint.AddMeasured(r.dir, checkpoint.Lines(metrics))
	if err != nil {
		r.warn(err)
	}
	return lines
}

type runListJSON struct {
	Runs   []runJSON          `json:"runs"`
	Charts []checkpoint.Chart `json:"charts"`
}

func newRunList(runs []runJSON) runListJSON { return runListJSON{runs, checkpoint.Charts} }

func (s *Server) serveRuns(w http.ResponseWriter, req *http.Request, _ query) error {
	list := []runJSON{}
	for _, r := range s.runs.now() {
		j, _ := r.summary(req.Context())
		list = append(list, j)
	}
	return writeJSON(w, newRunList(list))
}

type wholeRunJSON struct {
	runJSON
	Config   map[string]any       `json:"config"`
	Defaults map[string]any       `json:"defaults"` // of the changed settings
	Metrics  []checkpoint.Metrics `json:"metrics"`
	Lines    []checkpoint.Line    `json:"lines"`
	Live     *liveJSON            `json:"live"`
}

func (s *Server) serveRun(w http.ResponseWriter, r *http.Request, _ query, run *servedRun) error {
	return writeJSON(w, run.details(r.Context()))
}

func (r *servedRun) details(ctx context.Context) wholeRunJSON {
	j, c := r.summary(ctx)
	var metrics []checkpoint.Metrics
	if j.Error == nil {
		metrics, _ = checkpoint.ReadMetrics(r.dir) // summary has read them
	}
	details := wholeRunJSON{
		runJSON: j, Config: map[string]any{}, Defaults: map[string]any{},
		Metrics: append([]checkpoint.Metrics{}, metrics...), Lines: r.lines(metrics),
	}
	if j.Error == nil {
		details.Config, details.Defaults = c.Values(), run.DefaultConfig().Values()
		maps.DeleteFunc(details.Defaults, func(key string, value any) bool {
			return reflect.DeepEqual(value, details.Config[key])
		})
	}
	if r.live != nil {
		state, _, _ := r.live.state()
		details.Live = &state
	}
	return details
}

func (s *Server) serveRunEvents(w http.ResponseWriter, r *http.Request, q query, run *servedRun) error {
	if last := r.Header.Get("Last-Event-ID"); last != "" {
		q["after"] = last // the browser reconnects
	}
	after, err := q.number("after", 0, 0, checkpoint.MaxIteration)
	if err != nil {
		return err
	}
	st, err := s.openStream(w, r)
	if err != nil {
		return err
	}
	defer st.close()
	run.follow(st, after, s.options.Limits.Poll)
	return nil
}

const liveInterval = time.Second

// follow sends the iterations above after, and the training's state, until the training or the stream ends.
func (r *servedRun) follow(st *stream, after int, poll time.Duration) {
	var changed <-chan struct{}
	if r.live != nil {
		poll = liveInterval
	}
	ticker := time.NewTicker(poll)
	defer ticker.Stop()
	size := int64(-1)
	for st.ctx.Err() == nil {
		ended := false
		if r.live != nil {
			var state liveJSON
			state, ended, changed = r.live.state()
			st.send("live", "", state)
		}
		after = r.sendMetrics(st, after, &size)
		if ended {
			st.send("end", "", struct{}{})
			return
		}
		select {
		case <-changed: // nil blocks forever if nothing is live
		case <-ticker.C:
		case <-st.ctx.Done():
		}
	}
}

// sendMetrics sends the iterations above after, if the file has changed, and returns the last.
func (r *servedRun) sendMetrics(st *stream, after int, size *int64) int {
	now := checkpoint.MetricsSize(r.dir)
	if now == *size {
		return after
	}
	*size = now
	metrics, err := checkpoint.ReadMetrics(r.dir)
	if err != nil {
		r.warn(err)
		return after
	}
	lines := checkpoint.Lines(metrics)
	for i, m := range metrics {
		if m.Iteration > after {
			st.send("line", "", lines[i])
			st.send("metrics", fmt.Sprint(m.Iteration), m)
			after = m.Iteration
		}
	}
	return after
}

// games opens the run's games so far. The caller closes them.
func (r *servedRun) games(ctx context.Context) (games *run.Run, err error) {
	if r.live != nil {
		games, err = r.live.recorded(ctx)
	} else {
		games, err = run.OpenRun(ctx, r.dir)
	}
	switch {
	case err == nil || ctx.Err() != nil || errors.As(err, new(statusError)):
		return games, err
	case errors.Is(err, fs.ErrNotExist):
		return nil, statusError{http.StatusNotFound, "this run has no games yet"}
	}
	return nil, errors.New(r.unreadable(err))
}

var errEnough = errors.New("enough")

// read calls yield with the run's games, beginning with number first, until yield returns errEnough.
func (r *servedRun) read(ctx context.Context, games *run.Run, first uint64, yield func(replay.Entry) error) error {
	err := games.Read(ctx, first, yield)
	switch {
	case errors.Is(err, errEnough):
		return nil
	case err != nil && ctx.Err() == nil:
		return errors.New(r.unreadable(err))
	}
	return err
}

// unreadable warns about a broken run directory. It returns the error's text with the run's name instead of its path.
func (r *servedRun) unreadable(err error) string {
	if !errors.Is(err, context.Canceled) { // the visitor has gone
		r.warn(err)
	}
	return strings.ReplaceAll(err.Error(), r.dir, r.name)
}

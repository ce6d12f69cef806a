package runs

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

	"tengen/doors/web/answer"
	"tengen/replay"
	"tengen/run"
	"tengen/train/checkpoint"
)

// RunJSON describes a run in the answer of /api/runs.
type RunJSON struct {
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
func (r *Run) summary(ctx context.Context) (j RunJSON, c config) {
	j = RunJSON{Name: r.Name, Models: []int{}}
	c, err := r.config(ctx)
	if r.Live != nil {
		_, ended, _ := r.Live.state()
		j.Training = !ended
	} else if err == nil {
		j.Training = checkpoint.Held(r.Dir)
	}
	var m checkpoint.Metrics
	if err == nil {
		j.Game, j.Iterations = c.game.Info().Name, c.Train.Iterations
		m, err = r.newest(ctx)
	}
	if err != nil {
		j.Error = new(r.Unreadable(err).Error())
		return j, c
	}
	if m.Iteration > 0 {
		j.Iteration, j.Games, j.Positions = m.Iteration, m.Games, m.Positions
		j.Iterations = max(j.Iterations, m.Iteration) // train.iterations may have been lowered
		j.Time = &m.Time
	}
	if models, err := checkpoint.ModelFiles(r.Dir); err == nil {
		for _, m := range models {
			j.Models = append(j.Models, m.Iteration)
		}
	}
	return j, c
}

func (r *Run) lines(metrics []checkpoint.Metrics) []checkpoint.Line {
	lines, err := checkpoint.AddMeasured(r.Dir, checkpoint.Lines(metrics))
	if err != nil {
		r.server.options.Warn(err)
	}
	return lines
}

type runListJSON struct {
	Folder string             `json:"folder"` // where new runs appear, "" if nowhere
	Runs   []RunJSON          `json:"runs"`
	Charts []checkpoint.Chart `json:"charts"`
}

func (s *Server) serveRuns(w http.ResponseWriter, req *http.Request, _ answer.Query) error {
	list := each(s.Now(), func(r *Run) RunJSON {
		j, _ := r.summary(req.Context())
		return j
	})
	return answer.JSON(w, req, runListJSON{s.options.Folder, list, checkpoint.Charts})
}

type wholeRunJSON struct {
	RunJSON
	Config   map[string]any       `json:"config"`
	Defaults map[string]any       `json:"defaults"` // of the changed settings
	Metrics  []checkpoint.Metrics `json:"metrics"`  // none of a thinned run
	Lines    []checkpoint.Line    `json:"lines"`
	Live     *LiveJSON            `json:"live"`
}

// maxPoints is the maximum of the parameter points.
const maxPoints = checkpoint.MaxIteration

func (s *Server) serveRun(w http.ResponseWriter, r *http.Request, q answer.Query, run *Run) error {
	points, err := q.Number("points", 0, 1, maxPoints)
	if err != nil {
		return err
	}
	details := run.details(r.Context())
	if points > 0 {
		details.Metrics, details.Lines = []checkpoint.Metrics{}, checkpoint.Thin(details.Lines, points)
	}
	return answer.JSON(w, r, details)
}

func (r *Run) details(ctx context.Context) wholeRunJSON {
	j, c := r.summary(ctx)
	var metrics []checkpoint.Metrics
	if j.Error == nil {
		metrics, _ = checkpoint.ReadMetrics(r.Dir) // summary has read them
	}
	details := wholeRunJSON{
		RunJSON: j, Config: map[string]any{}, Defaults: map[string]any{},
		Metrics: append([]checkpoint.Metrics{}, metrics...), Lines: r.lines(metrics),
	}
	if j.Error == nil {
		details.Config, details.Defaults = c.Values(), run.DefaultConfig().Values()
		maps.DeleteFunc(details.Defaults, func(key string, value any) bool {
			return reflect.DeepEqual(value, details.Config[key])
		})
	}
	if r.Live != nil {
		state, _, _ := r.Live.state()
		details.Live = &state
	}
	return details
}

func (s *Server) serveEvents(w http.ResponseWriter, r *http.Request, q answer.Query, run *Run) error {
	if last := r.Header.Get("Last-Event-ID"); last != "" {
		q["after"] = last // the browser reconnects
	}
	after, err := q.Number("after", 0, 0, checkpoint.MaxIteration)
	if err != nil {
		return err
	}
	st, err := s.streams.Open(w, r)
	if err != nil {
		return err
	}
	defer st.Close()
	run.follow(st, after, s.limits.Poll)
	return nil
}

const liveInterval = time.Second

// follow sends the iterations above after, and the training's state, until the training or the stream ends.
func (r *Run) follow(st *answer.Stream, after int, poll time.Duration) {
	var changed <-chan struct{}
	if r.Live != nil {
		poll = liveInterval
	}
	ticker := time.NewTicker(poll)
	defer ticker.Stop()
	size := int64(-1)
	for st.Context.Err() == nil {
		ended := false
		if r.Live != nil {
			var state LiveJSON
			state, ended, changed = r.Live.state()
			st.Send("live", "", state)
		}
		after = r.sendMetrics(st, after, &size)
		if ended {
			st.Send("end", "", struct{}{})
			return
		}
		select {
		case <-changed: // nil blocks forever if nothing is live
		case <-ticker.C:
		case <-st.Context.Done():
		}
	}
}

// sendMetrics sends the iterations above after, if the file has changed, and returns the last.
func (r *Run) sendMetrics(st *answer.Stream, after int, size *int64) int {
	now := checkpoint.MetricsSize(r.Dir)
	if now == *size {
		return after
	}
	metrics, err := checkpoint.ReadMetrics(r.Dir)
	if err != nil {
		r.server.options.Warn(err)
		return after
	}
	*size = now
	lines := checkpoint.Lines(metrics)
	for i, m := range metrics {
		if m.Iteration > after {
			st.Send("line", "", lines[i])
			st.Send("metrics", fmt.Sprint(m.Iteration), m)
			after = m.Iteration
		}
	}
	return after
}

// games opens the run's games so far. The caller closes them.
func (r *Run) games(ctx context.Context) (games *run.Run, err error) {
	if r.Live != nil {
		games, err = r.Live.recorded(ctx)
	} else {
		games, err = run.OpenRun(ctx, r.Dir)
	}
	switch {
	case err == nil || ctx.Err() != nil || errors.As(err, new(answer.Error)):
		return games, err
	case errors.Is(err, fs.ErrNotExist):
		return nil, answer.Error{Status: http.StatusNotFound, Text: "this run has no games yet"}
	}
	return nil, r.Unreadable(err)
}

var errEnough = errors.New("enough")

// read calls yield with the run's games, beginning with number first, until yield returns errEnough.
func (r *Run) read(ctx context.Context, games *run.Run, first uint64, yield func(replay.Entry) error) error {
	err := games.Read(ctx, first, yield)
	switch {
	case errors.Is(err, errEnough):
		return nil
	case err != nil && ctx.Err() == nil:
		return r.Unreadable(err)
	}
	return err
}

// Unreadable warns about a broken run directory, and returns the error with the run's name instead of its path.
func (r *Run) Unreadable(err error) error {
	if !errors.Is(err, context.Canceled) { // the visitor has gone
		r.server.options.Warn(err)
	}
	return errors.New(strings.ReplaceAll(err.Error(), r.Dir, r.Name))
}

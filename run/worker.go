package run

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go"

	"tengen/net"
	"tengen/selfplay/cluster"
)

// WorkerConfig describes a worker for a run somewhere else.
type WorkerConfig struct {
	Server  cluster.DialConfig
	Run     string        // its name on the server, cluster.EmbeddedRun on a run's own
	Workers int           // goroutines that play, 0 for one per core
	Drain   time.Duration // as in cluster.WorkerConfig
	Warn    func(error)   // may be called by several goroutines at once
}

// Worker plays games for a run.
type Worker struct {
	*cluster.Worker
	conn *nats.Conn
}

// joinInterval is the pause between two attempts to join a run that is not there yet.
const joinInterval = time.Second

// NewWorker joins a run. It waits for a server that does not answer and for a run that has not begun, and says so once, until
// ctx ends.
func NewWorker(ctx context.Context, c WorkerConfig) (*Worker, error) {
	c.Warn = silent(c.Warn)
	for waiting := false; ; waiting = true {
		w, err := join(ctx, c)
		if !errors.Is(err, nats.ErrNoServers) && !errors.Is(err, cluster.ErrNoRun) {
			return w, err
		}
		if !waiting {
			c.Warn(fmt.Errorf("waiting for the run to begin: %w", err))
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(joinInterval):
		}
	}
}

// join is one attempt to join a run.
func join(ctx context.Context, c WorkerConfig) (*Worker, error) {
	name, err := cluster.TokenName(c.Server.TokenFile)
	if err != nil {
		return nil, err
	}
	c.Server.Report = c.Warn
	conn, err := cluster.Dial(ctx, c.Server)
	if err != nil {
		return nil, err
	}
	w, err := cluster.Join(ctx, conn, cluster.WorkerConfig{
		Run: c.Run, Version: Version(), Name: name, Drain: c.Drain, Report: c.Warn,
		Open: func(s cluster.Settings) (cluster.Player, error) {
			if err := s.CheckBounds(); err != nil {
				return nil, err
			}
			e, err := openRecorded(s.Game)
			if err != nil {
				return nil, err
			}
			return playerFor(e, s, c.Workers)
		},
	})
	if err != nil {
		conn.Close()
		return nil, err
	}
	return &Worker{w, conn}, nil
}

// playerFor plays a run's games on a number of goroutines, 0 for one per core. It rounds as the run's trainer does if this machine can.
func playerFor(e Game, s cluster.Settings, workers int) (cluster.Player, error) {
	cfg := Config{Seed: s.Seed, Search: s.Search, Selfplay: s.Selfplay}
	if shape := e.shape(); s.Shape != shape {
		return nil, fmt.Errorf("the run's networks are for %v, %s has %v here: use the program that trains", s.Shape, s.Game, shape)
	}
	cfg.Selfplay.Workers = workers
	for _, part := range []interface{ Validate() error }{cfg.Search, cfg.Selfplay} {
		if err := part.Validate(); err != nil {
			return nil, err
		}
	}
	set, ok := net.Repeats(s.Arithmetic)
	if !ok {
		set = "" // the trainer refuses such games unless cluster.mixed is true
	}
	return e.generator(cfg, set), nil
}

// Close ends the worker and its connection.
func (w *Worker) Close() error {
	err := w.Worker.Close()
	w.conn.Close()
	return err
}

// WorkReport says how a worker is getting on.
type WorkReport struct {
	Worker         string  `json:"worker"`
	State          string  `json:"state"`            // playing, waiting (for games to play) or disconnected
	Model          uint64  `json:"model"`            // that plays, by the iteration that made it
	Games          int64   `json:"games"`            // that the run has got from this process
	GamesPerSecond float64 `json:"games_per_second"` // since the report before
	// FetchedPercent is how much has arrived of the model that is being fetched, nil if there is none.
	FetchedPercent *int `json:"fetched_percent,omitempty"`
}

// NewWorkReport reports on a worker's progress, and how fast it was since it had come as far as last, some time ago.
func NewWorkReport(p, last cluster.WorkerProgress, since time.Duration) WorkReport {
	r := WorkReport{
		Worker: p.Worker, State: "playing", Model: p.Model, Games: p.Games,
		GamesPerSecond: float64(p.Games-last.Games) / since.Seconds(),
	}
	switch {
	case !p.Connected:
		r.State = "disconnected"
	case !p.Playing:
		r.State = "waiting"
	}
	if p.Fetching {
		r.FetchedPercent = &p.Fetched
	}
	return r
}

// Text is the report in a line.
func (r WorkReport) Text() string {
	text := fmt.Sprintf("%-12s  model %d  %d games  %.2f games/s", r.State, r.Model, r.Games, r.GamesPerSecond)
	if r.FetchedPercent != nil {
		text += fmt.Sprintf("  fetching a model: %d %%", *r.FetchedPercent)
	}
	return text
}

package run

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go"

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
			return e.player(s, c.Workers)
		},
	})
	if err != nil {
		conn.Close()
		return nil, err
	}
	return &Worker{w, conn}, nil
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

package engine

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/nats-io/nats.go"

	"tengen/cluster"
	"tengen/cluster/natslog"
)

// WorkerConfig describes a worker for a run somewhere else.
type WorkerConfig struct {
	Server  natslog.ClientConfig
	Run     string      // its name on the server, EmbeddedRun on a run's own
	Spool   string      // directory for the worker's name and its unsent games
	Workers int         // goroutines that play, 0 for one per core
	Warn    func(error) // may be called by several goroutines at once
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
	client := c.Server
	client.Name = "tengen worker"
	client.OnDisconnect = func(err error) {
		if err != nil {
			c.Warn(fmt.Errorf("the connection is lost (%w): playing on", err))
		}
	}
	client.OnReconnect = func(url string) { c.Warn(fmt.Errorf("connected again to %s", url)) }
	conn, err := natslog.Dial(ctx, client)
	if err != nil {
		return nil, err
	}
	host, err := os.Hostname()
	if err != nil {
		host = "worker"
	}
	w, err := cluster.NewWorker(ctx, conn, cluster.WorkerConfig{
		Run: c.Run, Version: Version(), Spool: c.Spool, Host: host, Report: c.Warn,
		Open: func(s cluster.Settings, seed uint64) (cluster.Player, error) {
			e, err := openRecorded(s.Game)
			if err != nil {
				return nil, err
			}
			return e.player(s, seed, c.Workers)
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
	State          string  `json:"state"`            // playing, paused or disconnected
	Model          uint64  `json:"model"`            // that plays, by the iteration that made it
	Games          int64   `json:"games"`            // finished by this process
	GamesPerSecond float64 `json:"games_per_second"` // since the report before
	Unsent         int64   `json:"unsent"`           // games in the spool
}

// NewWorkReport reports on a worker's progress, and how fast it was since it had come as far as last, some time ago.
func NewWorkReport(p, last cluster.WorkerProgress, since time.Duration) WorkReport {
	r := WorkReport{
		Worker: p.Worker, State: "playing", Model: p.Model, Games: p.Games, Unsent: p.Unsent,
		GamesPerSecond: float64(p.Games-last.Games) / since.Seconds(),
	}
	switch {
	case !p.Connected:
		r.State = "disconnected"
	case p.Paused:
		r.State = "paused"
	}
	return r
}

// Text is the report in a line.
func (r WorkReport) Text() string {
	return fmt.Sprintf("%-12s  model %d  %d games  %.2f games/s  %d unsent", r.State, r.Model, r.Games, r.GamesPerSecond, r.Unsent)
}

package engine

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/nats-io/nats.go"

	"tengen/cluster"
	"tengen/cluster/access"
	"tengen/cluster/modelcache"
	"tengen/cluster/natslog"
)

// WorkerConfig describes a worker for a run somewhere else.
type WorkerConfig struct {
	Server  natslog.ClientConfig
	Run     string        // its name on the server, EmbeddedRun on a run's own
	Spool   string        // directory for the worker's name and its unsent games
	Cache   string        // directory of models that workers of the host share; empty: beside the spool
	Workers int           // goroutines that play, 0 for one per core
	Drain   time.Duration // as in cluster.WorkerConfig
	Warn    func(error)   // may be called by several goroutines at once
}

// cache is the directory of models.
func (c WorkerConfig) cache() string {
	if c.Cache == "" {
		return filepath.Join(filepath.Dir(filepath.Clean(c.Spool)), "tengen-models")
	}
	return c.Cache
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
	models, err := modelcache.Open(c.cache(), modelcache.DefaultLimit, c.Warn)
	if err != nil {
		c.Warn(fmt.Errorf("%w: fetching without it", err)) // models is nil, which keeps nothing
	}
	for waiting := false; ; waiting = true {
		w, err := join(ctx, c, models)
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
func join(ctx context.Context, c WorkerConfig, models *modelcache.Cache) (*Worker, error) {
	client := c.Server
	user, err := client.User()
	if err != nil {
		return nil, err
	}
	host := hostName()
	if user != "" {
		if err := access.CheckName(user); err != nil {
			return nil, fmt.Errorf("the token is that of a user who cannot be a worker: %w", err)
		}
		host = user
	}
	if client.Worker, err = cluster.WorkerName(c.Spool, host); err != nil {
		return nil, err
	}
	if access.IsLocal(client.Worker) {
		return nil, fmt.Errorf("the spool %s is that of %s, the worker in the process that trains: name another folder with --spool", c.Spool, client.Worker)
	}
	if user != "" && !access.Owns(user, client.Worker) {
		return nil, fmt.Errorf("the spool %s is that of worker %s, the token is that of worker %s: name another folder with --spool", c.Spool, client.Worker, user)
	}
	conn, err := dial(ctx, client, c.Warn)
	if err != nil {
		return nil, err
	}
	w, err := cluster.NewWorker(ctx, conn, cluster.WorkerConfig{
		Run: c.Run, Version: Version(), Spool: c.Spool, Host: host, Drain: c.Drain, Models: models, Report: c.Warn,
		Open: func(s cluster.Settings, seed uint64) (cluster.Player, error) {
			if err := s.CheckBounds(); err != nil {
				return nil, err
			}
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

// dial connects a worker, and warns of what becomes of the connection.
func dial(ctx context.Context, client natslog.ClientConfig, warn func(error)) (*nats.Conn, error) {
	client.OnDisconnect = func(err error) {
		if err != nil {
			warn(fmt.Errorf("the connection is lost (%w): playing on", err))
		}
	}
	client.OnReconnect = func(url string) { warn(fmt.Errorf("connected again to %s", url)) }
	client.OnError = warn
	return natslog.Dial(ctx, client)
}

// hostName is what the name of a worker begins with that has no other.
func hostName() string {
	host, err := os.Hostname()
	if err != nil || host == access.Local {
		return "worker"
	}
	return host
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
	State          string  `json:"state"`            // playing, paused, waiting (for a model) or disconnected
	Model          uint64  `json:"model"`            // that plays, by the iteration that made it
	Games          int64   `json:"games"`            // finished by this process
	GamesPerSecond float64 `json:"games_per_second"` // since the report before
	Unsent         int64   `json:"unsent"`           // games in the spool
	// FetchedPercent is how much has arrived of the model that is being fetched, nil if there is none.
	FetchedPercent *int `json:"fetched_percent,omitempty"`
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
	case p.Waiting:
		r.State = "waiting"
	case p.Paused:
		r.State = "paused"
	}
	if p.Fetching {
		r.FetchedPercent = &p.Fetched
	}
	return r
}

// Text is the report in a line.
func (r WorkReport) Text() string {
	text := fmt.Sprintf("%-12s  model %d  %d games  %.2f games/s  %d unsent", r.State, r.Model, r.Games, r.GamesPerSecond, r.Unsent)
	if r.FetchedPercent != nil {
		text += fmt.Sprintf("  fetching a model: %d %%", *r.FetchedPercent)
	}
	return text
}

package cluster

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"sync/atomic"

	"github.com/nats-io/nats.go"
	"golang.org/x/sync/errgroup"

	"tengen/cluster/natslog"
	"tengen/internal/random"
	"tengen/net"
	"tengen/replay"
)

// Player plays games of self-play; selfplay.Pool.Play says how.
type Player interface {
	Play(ctx context.Context, model uint64, w *net.Weights, next func() (number uint64, ok bool),
		finished func(*replay.Record) error) (replay.Stats, error)
}

// WorkerConfig describes a Worker.
type WorkerConfig struct {
	Run       string // the run's name on the server
	Version   string // of this program
	Spool     string // folder of the worker's name and of its unsent games; made if absent
	Host      string // what the name of a new worker begins with
	MaxUnsent int    // games in the spool at which play pauses; 0 means 10,000

	// Open returns a player for the run. seed is that of the worker's games: it follows from the run's and the worker's name.
	Open   func(s Settings, seed uint64) (Player, error)
	Report func(error) // is told of damage and refusals that the worker can do without
}

// Worker plays games of a run that a Coordinator leads, somewhere else or in the same process. It plays with the newest
// model, which changes between games, and keeps each finished game in its spool until the server has it. So it plays on
// when the connection is lost, and loses no finished game when it is killed.
type Worker struct {
	cfg    WorkerConfig
	conn   *nats.Conn
	log    *natslog.Log
	models *natslog.Models
	bucket *natslog.Bucket
	spool  *spool
	player Player

	settings Settings
	task     atomic.Pointer[task]
	limit    atomic.Uint64 // as in the order
	reached  atomic.Uint64 // the highest sequence number of the worker's games
	open     atomic.Int64  // games that were begun and have no sequence number yet
	played   atomic.Int64
	polled   chan struct{} // receives after an order was read
}

// task is a model to play with.
type task struct {
	model   natslog.Model
	weights *net.Weights
}

// WorkerProgress is how a worker is getting on.
type WorkerProgress struct {
	Worker    string
	Model     uint64 // that plays, by the iteration that made it
	Games     int64  // finished by this process
	Unsent    int64  // games in the spool
	Connected bool
	Paused    bool // there are games enough until the run has learned from them, or there is no model yet
}

const (
	// A worker sends a few games at once, as each waits for the server's disk and the way there and back.
	senders = 4
	// queueLength is the number of finished games that wait for the spool.
	queueLength = 64
)

// NewWorker joins a run: it opens the spool and refuses a run that this program cannot play for. It does not close the
// connection.
func NewWorker(ctx context.Context, conn *nats.Conn, cfg WorkerConfig) (w *Worker, err error) {
	w = &Worker{cfg: cfg, conn: conn, polled: make(chan struct{}, 1)}
	defer func() {
		if err != nil {
			w.Close()
			w, err = nil, fmt.Errorf("cannot play for run %s: %w", cfg.Run, err)
		}
	}()
	if w.cfg.MaxUnsent == 0 {
		w.cfg.MaxUnsent = 10_000
	}
	if w.models, err = natslog.OpenModels(ctx, conn, cfg.Run, 0, -1); err != nil {
		return w, err
	}
	w.bucket = w.models.Bucket()
	if w.settings, err = readSettings(ctx, w.bucket, cfg.Version); err != nil {
		return w, err
	}
	if w.log, err = natslog.OpenLog(ctx, conn, natslog.LogConfig{Run: cfg.Run, Patience: -1}); err != nil {
		return w, err
	}
	if w.spool, err = openSpool(cfg.Spool, cfg.Host, w.cfg.MaxUnsent); err != nil {
		return w, err
	}
	w.open.Store(w.spool.unsent.Load())
	if err := w.spool.join(w.settings.Run); err != nil {
		return w, err
	}
	w.player, err = cfg.Open(w.settings, seedOf(w.settings.Seed, w.spool.identity.Worker))
	return w, err
}

// seedOf is the seed of a worker's games.
func seedOf(run uint64, worker string) uint64 {
	name := fnv.New64a()
	name.Write([]byte(worker))
	return random.New(run, random.Worker, name.Sum64()).Uint64()
}

// Close lets go of the spool.
func (w *Worker) Close() error {
	var errs []error
	if w.models != nil {
		errs = append(errs, w.models.Close())
	}
	if w.log != nil {
		errs = append(errs, w.log.Close())
	}
	if w.spool != nil {
		errs = append(errs, w.spool.close())
	}
	return errors.Join(errs...)
}

// Settings are those of the run.
func (w *Worker) Settings() Settings { return w.settings }

// Name is the worker's name.
func (w *Worker) Name() string { return w.spool.identity.Worker }

// Run plays until ctx is cancelled, and returns its error then. Games under way are lost; finished ones that were not sent
// stay in the spool. It can be called once.
func (w *Worker) Run(ctx context.Context) error {
	group, ctx := errgroup.WithContext(ctx)
	finished := make(chan *replay.Record, queueLength)
	group.Go(func() error { return w.follow(ctx) })
	group.Go(func() error {
		defer close(finished)
		return w.play(ctx, finished)
	})
	group.Go(func() error {
		for g := range finished {
			if err := w.spool.put(ctx, g); err != nil {
				return err
			}
		}
		return nil
	})
	for range senders {
		group.Go(func() error { return w.send(ctx) })
	}
	return group.Wait()
}

// Progress may be called by any goroutine.
func (w *Worker) Progress() WorkerProgress {
	p := WorkerProgress{
		Worker: w.Name(), Games: w.played.Load(), Unsent: w.spool.unsent.Load(), Connected: w.conn.IsConnected(), Paused: w.paused(),
	}
	if t := w.task.Load(); t != nil {
		p.Model = t.model.Iteration
	}
	return p
}

// paused reports whether there is nothing to play: no model, or enough games when those under way are in the log.
func (w *Worker) paused() bool {
	return w.task.Load() == nil || w.reached.Load()+uint64(max(0, w.open.Load())) >= w.limit.Load()
}

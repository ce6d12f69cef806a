package cluster

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"hash/fnv"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"
	"golang.org/x/sync/errgroup"

	"tengen/cluster/modelcache"
	"tengen/cluster/natslog"
	"tengen/internal/random"
	"tengen/net"
	"tengen/replay"
)

// Player plays games of self-play; selfplay.Pool.Play says how.
type Player interface {
	Play(ctx context.Context, model uint64, w *net.Weights, next func() (number uint64, ok bool),
		finished func(*replay.Record) error) (replay.Stats, error)
	// Seats is the number of games that Play plays at the same time.
	Seats() int
}

// Divisible is a Player of several parts, which together have its seats and may play at the same time, each with a model of its own.
// So none waits for the longest game of another before it takes up a new model.
type Divisible interface {
	Player
	Parts() []Player
}

// WorkerConfig describes a Worker.
type WorkerConfig struct {
	Run     string // the run's name on the server
	Version string // of this program, for people
	Spool   string // folder of the worker's name and of its unsent games; made if absent
	Host    string // what the name of a new worker begins with

	// Drain is for how long the games under way are played on, and sent, when Run is to end. 0: they are lost.
	Drain time.Duration

	// Open returns a player for the run. seed is that of the worker's games: it follows from the run's and the worker's name.
	Open   func(s Settings, seed uint64) (Player, error)
	Models *modelcache.Cache // of this host; nil: none
	Report func(error)       // is told of damage, refusals and delays that the worker can do without
}

// Worker plays games of a run that a Coordinator leads, somewhere else or in the same process. It plays with the newest
// model, which changes between games, and keeps each finished game in its spool until the server has it. So it plays on
// when the connection is lost, and loses no finished game when it is killed.
type Worker struct {
	cfg    WorkerConfig
	conn   *nats.Conn
	log    *natslog.Appender
	models *natslog.Models
	bucket *natslog.Bucket
	spool  *spool
	player Player

	instance string // random, as in a demand
	settings Settings
	order    atomic.Pointer[order]    // the newest, nil before the first
	task     atomic.Pointer[task]     // nil before the first model is there
	download atomic.Pointer[download] // nil if no model is on its way
	allowed  *allowance
	pace     pace
	open     atomic.Int64 // games that were begun and are not in the log yet
	played   atomic.Int64
	trouble  atomic.Pointer[string] // why the log takes no games; nil if it does
	draining atomic.Bool            // no more games are begun

	wake    bell          // rings when there may be something to play
	want    chan struct{} // receives when it is time to ask for a lease
	look    chan struct{} // receives when there may be a new order
	ordered chan struct{} // receives after a new order was read
}

// WorkerProgress is how a worker is getting on.
type WorkerProgress struct {
	Worker    string
	Model     uint64 // that plays, by the iteration that made it
	Games     int64  // that this process has finished and put into the spool
	Unsent    int64  // games in the spool
	Connected bool
	Paused    bool // no game is under way: there are enough until the run has learned from them, or it is Waiting
	Waiting   bool // for a model: there is none yet, or games of the one that is there would not be taken
	Fetching  bool // a model is on its way
	Fetched   int  // so far, in percent, if Fetching
}

const (
	// A worker sends many games at once, as they wait together for the server's disk and the way there and back.
	senders = 256
	// queueLength is the number of finished games that wait for the spool, and of those that it takes at once.
	queueLength = 256
	// mostUnsent is the number of games in the spool at which it takes no more.
	mostUnsent = 10_000
)

// NewWorker joins a run: it opens the spool and refuses a run that this program cannot play for. It does not close the
// connection.
func NewWorker(ctx context.Context, conn *nats.Conn, cfg WorkerConfig) (w *Worker, err error) {
	w = &Worker{
		cfg: cfg, conn: conn, allowed: newAllowance(), instance: rand.Text(),
		ordered: make(chan struct{}, 1), look: make(chan struct{}, 1), want: make(chan struct{}, 1),
	}
	defer func() {
		if err != nil {
			w.Close()
			w, err = nil, fmt.Errorf("cannot play for run %s: %w", cfg.Run, err)
		}
	}()
	w.models, err = natslog.OpenModels(ctx, conn, cfg.Run, 0, -1)
	if errors.Is(err, natslog.ErrNoLog) {
		return w, ErrNoRun
	}
	if err != nil {
		return w, err
	}
	w.bucket = w.models.Bucket()
	if w.settings, err = readSettings(ctx, w.bucket); err != nil {
		return w, err
	}
	if w.settings.Version != cfg.Version {
		cfg.Report(fmt.Errorf("the run is trained by tengen %q, this is tengen %q: their games are the same", w.settings.Version, cfg.Version))
	}
	if w.spool, err = openSpool(cfg.Spool, cfg.Host, mostUnsent); err != nil {
		return w, err
	}
	w.log, err = natslog.OpenAppender(ctx, conn, natslog.AppenderConfig{
		Run: cfg.Run, Worker: w.Name(), Salt: w.spool.identity.Salt, Patience: -1, Waiting: w.delayed,
	})
	if errors.Is(err, natslog.ErrNoLog) {
		return w, ErrNoRun
	}
	if err != nil {
		return w, err
	}
	w.open.Store(w.spool.unsent.Load())
	if err := w.spool.join(w.settings.Run); err != nil {
		return w, err
	}
	w.player, err = cfg.Open(w.settings, seedOf(w.settings.Seed, w.spool.identity.Worker))
	return w, err
}

// delayed is told of an error for which the worker's games wait.
func (w *Worker) delayed(err error) {
	text := err.Error()
	w.trouble.Store(&text)
	w.cfg.Report(fmt.Errorf("games wait to be sent: %w", err))
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

// Instance tells this worker from all others that have its name, as those before it do.
func (w *Worker) Instance() string { return w.instance }

// Run plays until ctx is cancelled, and returns its error then, after WorkerConfig.Drain at most. Games that are under way then
// are lost; finished ones that were not sent stay in the spool. It can be called once.
func (w *Worker) Run(ctx context.Context) error {
	spooled := make(chan struct{})
	working, end := context.WithCancel(context.WithoutCancel(ctx))
	defer end()
	drained := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		defer close(drained)
		w.drain(working, spooled)
		end()
	})
	err := w.run(working, spooled)
	end()
	if stop() {
		return err
	}
	<-drained
	if errors.Is(err, context.Canceled) {
		err = ctx.Err()
	}
	return err
}

// run is Run without an end. It closes spooled when all games that were begun are in the spool.
func (w *Worker) run(ctx context.Context, spooled chan<- struct{}) error {
	group, ctx := errgroup.WithContext(ctx)
	finished := make(chan *replay.Record, queueLength)
	group.Go(func() error { return w.follow(ctx) })
	group.Go(func() error { return w.fetchModels(ctx) })
	group.Go(func() error {
		defer close(finished)
		return w.play(ctx, finished)
	})
	group.Go(func() error {
		if err := w.keep(ctx, finished); err != nil {
			return err
		}
		close(spooled)
		return nil
	})
	group.Go(func() error { return w.renew(ctx) })
	for range senders {
		group.Go(func() error { return w.send(ctx) })
	}
	return group.Wait()
}

// Progress may be called by any goroutine.
func (w *Worker) Progress() WorkerProgress {
	p := WorkerProgress{
		Worker: w.Name(), Games: w.played.Load(), Unsent: w.spool.unsent.Load(), Connected: w.conn.IsConnected(), Paused: w.paused(),
		Waiting: w.outdated(),
	}
	if d := w.download.Load(); d != nil {
		p.Fetching, p.Fetched = true, int(100*d.arrived.Load()/int64(max(d.model.Size, 1)))
	}
	if t := w.task.Load(); t != nil {
		p.Model = t.model.Iteration
	}
	return p
}

// paused reports whether there is nothing to play: no model of use, or no lease.
func (w *Worker) paused() bool {
	return w.outdated() || w.allowed.left.Load() <= 0 && w.open.Load() <= w.spool.unsent.Load()
}

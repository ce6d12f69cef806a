package cluster

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"

	"tengen/net"
)

// WorkerConfig describes a Worker.
type WorkerConfig struct {
	Run     string // the run's name on the server
	Version string // of this program, for people
	Name    string // of the worker, see TokenName
	// Open returns a player for a run. Where it can round as the run's trainer does, Settings.Arithmetic, it has to.
	Open func(Settings) (Player, error)
	// Drain is for how long the games under way are played on, and sent, when Run is to end. 0: they are lost.
	Drain  time.Duration
	Report func(error) // is called with delays, by several goroutines at once
}

// Worker plays games of a run that a Pool leads.
type Worker struct {
	cfg    WorkerConfig
	conn   *nats.Conn
	news   *nats.Subscription
	puller *puller

	settings   Settings
	digest     string // of the settings
	arithmetic string // that the player has
	player     Player

	ordered  bell // rings when there is another order
	drain    context.Context
	stop     context.CancelFunc       // of drain
	download atomic.Pointer[download] // nil if no model is on its way
	playing  atomic.Bool
	model    atomic.Uint64
	told     atomic.Int64 // orders that came by themselves
	games    atomic.Int64 // that were sent and answered

	mu     sync.Mutex
	order  order              // the newest
	cancel context.CancelFunc // ends what is done by the order
	heard  context.Context    // ends, by lost, when what was asked before may have been lost
	lost   context.CancelFunc
}

// WorkerProgress is how a worker is getting on.
type WorkerProgress struct {
	Worker    string
	Model     uint64 // that plays, by the iteration that made it
	Games     int64  // that the trainer has got from this process
	Connected bool
	Playing   bool
	Fetching  bool // a model is on its way
	Fetched   int  // so far, in percent, if Fetching
}

var (
	// ErrNoRun is wrapped by the error of Join where the run has not begun, or is not there for this worker.
	ErrNoRun = errors.New("the server has no such run, or none for this worker: start it, with the same name")
	// ErrChanged is wrapped by the error of Run when the run has gone on with other settings: join it again.
	ErrChanged = errors.New("the run continues with other settings")
)

// Join joins a run, and refuses one that this program cannot play for. It does not close the connection.
func Join(ctx context.Context, conn *nats.Conn, cfg WorkerConfig) (*Worker, error) {
	w := &Worker{cfg: cfg, conn: conn, ordered: newBell(), cancel: func() {}}
	w.drain, w.stop = context.WithCancel(context.Background())
	w.heard, w.lost = context.WithCancel(context.Background())
	joining, cancel := context.WithTimeout(ctx, callWait)
	defer cancel()
	err := w.join(joining)
	if errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil {
		err = ErrNoRun
	}
	if err == nil {
		w.puller, err = newPuller(conn, cfg.Run)
	}
	if err == nil {
		w.news, err = conn.Subscribe(newsSubject(cfg.Run), func(m *nats.Msg) {
			w.told.Add(1)
			w.hear(m.Data)
		})
	}
	if err != nil {
		return nil, fmt.Errorf("cannot play for run %s: %w", cfg.Run, err)
	}
	return w, nil
}

// join takes the settings of the run, and opens a player.
func (w *Worker) join(ctx context.Context) error {
	content, err := w.get(ctx, entryRequest(w.cfg.Run, "settings"))
	if err == nil {
		w.settings, err = readSettings(content)
	}
	if err == nil {
		err = w.settings.CheckBounds()
	}
	if err != nil {
		return err
	}
	s := w.settings
	w.digest, w.arithmetic = digest(content), s.Arithmetic
	if _, ok := net.Repeats(s.Arithmetic); !ok {
		w.arithmetic = net.Arithmetic()
		if !s.Mixed {
			return fmt.Errorf("the run is trained with the arithmetic %q, this processor has %q: %w", s.Arithmetic, w.arithmetic, errArithmetic)
		}
	}
	if s.Version != w.cfg.Version {
		w.cfg.Report(fmt.Errorf("the run is trained by tengen %q, this is tengen %q: their games are the same", s.Version, w.cfg.Version))
	}
	w.player, err = w.cfg.Open(s)
	return err
}

// Settings returns the settings of the run.
func (w *Worker) Settings() Settings { return w.settings }

// Close ends the subscriptions of the worker. Run has returned before.
func (w *Worker) Close() error {
	return errors.Join(w.puller.answers.Unsubscribe(), w.news.Unsubscribe())
}

// Progress may be called by any goroutine.
func (w *Worker) Progress() WorkerProgress {
	p := WorkerProgress{
		Worker: w.cfg.Name, Model: w.model.Load(), Games: w.games.Load(), Connected: w.conn.IsConnected(), Playing: w.playing.Load(),
	}
	if d := w.download.Load(); d != nil {
		p.Fetching, p.Fetched = true, int(100*d.arrived.Load()/int64(d.info.Size))
	}
	return p
}

// Run plays until ctx is cancelled, and returns its error then, after WorkerConfig.Drain at most; or until the run refuses the
// worker's games, or the server its token. Games under way are lost then, and played by others. It can be called once.
func (w *Worker) Run(ctx context.Context) error {
	working, end := context.WithCancelCause(context.WithoutCancel(ctx))
	defer end(nil)
	defer context.AfterFunc(ctx, func() {
		w.stop()
		pause(working, w.cfg.Drain)
		end(nil)
	})()
	var tending sync.WaitGroup
	tending.Go(func() { end(w.tend(working)) })
	err := w.obey(working)
	end(nil)
	tending.Wait()
	if cause := context.Cause(working); !errors.Is(cause, context.Canceled) {
		err = cause
	}
	if ctx.Err() != nil && (err == nil || errors.Is(err, context.Canceled)) {
		return ctx.Err()
	}
	return err
}

// obey does what is ordered, until ctx ends or the worker is to drain.
func (w *Worker) obey(ctx context.Context) error {
	var weights *net.Weights
	var held modelInfo
	for ctx.Err() == nil && w.drain.Err() == nil {
		o, doing, free := w.begin(ctx)
		var err error
		switch {
		case !o.Playing:
			select {
			case <-w.drain.Done():
			case <-w.ordered:
			}
		case o.Settings != w.digest:
			err = ErrChanged
		case o.Model != held:
			if weights, err = w.fetchModel(doing, o.Model); err == nil {
				held = o.Model
			}
		default:
			err = w.play(doing, o.Model.Iteration, weights)
		}
		ended := doing.Err() != nil
		free()
		if err != nil && !(ended && errors.Is(err, context.Canceled)) {
			return fmt.Errorf("cannot play on for run %s: %w", w.cfg.Run, err)
		}
	}
	return ctx.Err()
}

// begin returns the order now, and a context that ends when there is another.
func (w *Worker) begin(ctx context.Context) (o order, doing context.Context, free func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	doing, w.cancel = context.WithCancel(ctx)
	return w.order, doing, w.cancel
}

// hear takes an order.
func (w *Worker) hear(content []byte) {
	var o order
	if json.Unmarshal(content, &o) != nil {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	before := w.order
	w.order = o
	switch {
	case !before.same(o):
		w.cancel()
		w.ordered.ring()
	case before.Told != o.Told:
		w.askAgain()
	}
}

// askAgain ends the requests that wait for an answer, which are made again. The caller holds mu.
func (w *Worker) askAgain() {
	w.lost()
	w.heard, w.lost = context.WithCancel(context.Background())
}

// asking returns a context for a request: it ends when the answer may have been lost, with the connection or the server's memory.
func (w *Worker) asking(ctx context.Context) (context.Context, func()) {
	ctx, cancel := context.WithCancel(ctx)
	w.mu.Lock()
	defer w.mu.Unlock()
	stop := context.AfterFunc(w.heard, cancel)
	return ctx, func() { stop(); cancel() }
}

// request asks for something, and waits for the answer.
func (w *Worker) request(ctx context.Context, patience time.Duration, subject string, content []byte) (*nats.Msg, error) {
	ctx, free := w.asking(ctx)
	defer free()
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	return w.conn.RequestWithContext(ctx, subject, content)
}

// tend tells the trainer from time to time how the worker is getting on, and reads the order, should the news of it have been
// lost; also when the connection is there again. It returns an error when the connection is closed for good.
func (w *Worker) tend(ctx context.Context) error {
	ticker := time.NewTicker(statusEvery)
	defer ticker.Stop()
	changed := w.conn.StatusChanged(nats.CONNECTED, nats.CLOSED)
	defer w.conn.RemoveStatusListener(changed)
	for {
		w.say()
		w.look(ctx)
		select {
		case <-ctx.Done():
			return nil
		case <-ticker.C:
		case <-changed:
			if w.conn.IsClosed() {
				err := w.conn.LastError()
				return fmt.Errorf("cannot play on for run %s: %w: %s", w.cfg.Run, err, advice(err))
			}
			w.mu.Lock()
			w.askAgain()
			w.mu.Unlock()
		}
	}
}

// look reads the order.
func (w *Worker) look(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, statusEvery)
	defer cancel()
	told := w.told.Load()
	content, err := w.get(ctx, entryRequest(w.cfg.Run, "order"))
	if err == nil && w.told.Load() == told { // else this one may be older
		w.hear(content)
	}
}

// say sends the worker's status, which may get lost.
func (w *Worker) say() {
	s := status{State: "waiting", Model: w.model.Load(), Version: w.cfg.Version, Arithmetic: w.arithmetic}
	switch {
	case w.download.Load() != nil:
		s.State = "fetching a model"
	case w.playing.Load():
		s.State = "playing"
	}
	w.conn.Publish(statusSubject(w.cfg.Run, w.cfg.Name), encode(s))
}

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
	"tengen/selfplay"
)

// WorkerConfig describes a Worker.
type WorkerConfig struct {
	Run     string                         // its name on the server
	Version string                         // for display
	Name    string                         // see TokenName
	Open    func(Settings) (Player, error) // returns a player for a run
	// Drain limits the time to finish and send running games after Run's context ends. 0 discards them.
	Drain  time.Duration
	Wait   bool        // for a next trainer when the run has ended
	Report func(error) // receives warnings, from several goroutines
}

// Player plays several games at once.
type Player interface {
	selfplay.Player
	ParallelGames() int // that it plays at once
}

// Worker plays games for a run led by a Coordinator.
type Worker struct {
	cfg   WorkerConfig
	conn  *nats.Conn
	tasks *nats.Subscription

	settings Settings
	digest   string // of the settings
	player   Player

	inbox         string             // for news; only the trainer knows it
	news          signal             // sent when the order may have changed
	ordered       signal             // sent when it has
	acceptCtx     context.Context    // ends when no more games should begin
	stopAccepting context.CancelFunc // ends acceptCtx
	fetching      atomic.Int64       // size of the model being fetched; 0: none
	fetched       atomic.Int64       // bytes of it
	playing       atomic.Bool
	atOnce        atomic.Int64 // games that it plays at once; 0 while it can begin none
	model         atomic.Uint64
	games         atomic.Int64 // sent and answered

	mu     sync.Mutex
	order  order              // the newest
	cancel context.CancelFunc // ends the work on the order
}

// WorkerProgress describes a worker's progress.
type WorkerProgress struct {
	Worker    string
	Model     uint64 // iteration
	Games     int64  // sent by this process and answered
	Connected bool
	Playing   bool
	Fetching  bool // a model
	Fetched   int  // percent, if Fetching
}

var (
	// ErrNoRun means that the run has not begun or is invisible to this worker.
	ErrNoRun = errors.New("the server has no such run, or none for this worker: start it with the same name")
	// ErrChanged means that the run's settings have changed. The caller may join again.
	ErrChanged = errors.New("the run continues with other settings")
	// ErrEnded means that the run has all its iterations.
	ErrEnded = errors.New("the run has ended")
)

// Join joins a run. It fails if this program cannot play for it. It takes ownership of conn.
func Join(ctx context.Context, conn *nats.Conn, cfg WorkerConfig) (*Worker, error) {
	w := &Worker{cfg: cfg, conn: conn, inbox: conn.NewInbox(), news: newSignal(), ordered: newSignal(), cancel: func() {}}
	w.acceptCtx, w.stopAccepting = context.WithCancel(context.Background())
	joining, cancel := context.WithTimeout(ctx, callWait)
	defer cancel()
	err := w.join(joining)
	if errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil {
		err = ErrNoRun
	}
	if err != nil {
		conn.Close()
		return nil, fmt.Errorf("cannot play for run %s: %w", cfg.Run, err)
	}
	return w, nil
}

// Close closes the worker's connection. It must not be called during Run.
func (w *Worker) Close() { w.conn.Close() }

func (w *Worker) join(ctx context.Context) error {
	if err := CheckWorker(w.cfg.Name); err != nil { // a user of an external server may have any name
		return err
	}
	content, err := w.get(ctx, entryRequest(w.cfg.Run, "settings"))
	if err != nil {
		return err
	}
	if w.settings, err = readSettings(content); err != nil {
		return err
	}
	s := w.settings
	w.digest = digest(content)
	if here := net.Arithmetic(); s.Arithmetic != here {
		return fmt.Errorf("the run is trained with the arithmetic %q, but this worker has %q and would play other games: "+
			"use the trainer's release of Go, and a processor with AVX2 or NEON in both places or in none", s.Arithmetic, here)
	}
	if s.Version != w.cfg.Version {
		w.cfg.Report(fmt.Errorf("the run is trained by tengen %q, but this is tengen %q: their games are the same", s.Version, w.cfg.Version))
	}
	if w.player, err = w.cfg.Open(s); err != nil {
		return err
	}
	// A worker may not look its consumer up, as package jetstream would.
	consumer := nats.Bind(tasksStream(w.cfg.Run), w.cfg.Name)
	if w.tasks, err = must(w.conn.JetStream()).PullSubscribe("", "", consumer, nats.SkipConsumerLookup()); err != nil {
		return err
	}
	_, err = w.conn.Subscribe(w.inbox, func(*nats.Msg) { w.news.notify() })
	return err
}

// Settings returns the run's settings.
func (w *Worker) Settings() Settings { return w.settings }

// Progress returns the worker's progress. It is safe for concurrent use.
func (w *Worker) Progress() WorkerProgress {
	p := WorkerProgress{
		Worker: w.cfg.Name, Model: w.model.Load(), Games: w.games.Load(), Connected: w.conn.IsConnected(), Playing: w.playing.Load(),
	}
	if size := w.fetching.Load(); size > 0 {
		p.Fetching, p.Fetched = true, int(100*w.fetched.Load()/size)
	}
	return p
}

// Run plays until ctx is cancelled, then finishes running games for at most WorkerConfig.Drain and returns ctx's error.
// It returns earlier if the run refuses games, changes its settings or ends (ErrEnded), or if the connection closes for
// good. It can be called once.
func (w *Worker) Run(ctx context.Context) error {
	runCtx, end := context.WithCancelCause(context.WithoutCancel(ctx))
	defer end(nil)
	defer context.AfterFunc(ctx, func() {
		w.stopAccepting()
		pause(runCtx, w.cfg.Drain)
		end(nil)
	})()
	var background sync.WaitGroup
	background.Go(func() { end(w.reconnect(runCtx)) })
	background.Go(func() { w.follow(runCtx) })
	err := w.runOrders(runCtx)
	end(nil)
	background.Wait()
	if cause := context.Cause(runCtx); !errors.Is(cause, context.Canceled) {
		err = cause
	}
	if ctx.Err() != nil && (err == nil || errors.Is(err, context.Canceled)) {
		return ctx.Err()
	}
	return err
}

func (w *Worker) runOrders(ctx context.Context) error {
	var weights *net.Weights
	var held modelInfo // the model with these weights
	for ctx.Err() == nil && w.acceptCtx.Err() == nil {
		o, orderCtx, free := w.begin(ctx)
		var err error
		switch {
		case o.Ended && !w.cfg.Wait:
			free()
			return ErrEnded
		case o.Model == modelInfo{}:
			select {
			case <-orderCtx.Done():
			case <-w.acceptCtx.Done():
			case <-w.ordered:
			}
		case o.Settings != w.digest:
			err = ErrChanged
		case o.Model != held:
			if weights, err = w.fetchModel(orderCtx, o.Model); err == nil {
				held = o.Model
			}
		default:
			err = w.play(orderCtx, o.Model.Iteration, weights)
		}
		ended := orderCtx.Err() != nil
		free()
		if err != nil && !(ended && errors.Is(err, context.Canceled)) {
			return fmt.Errorf("cannot continue to play for run %s: %w", w.cfg.Run, err)
		}
	}
	return ctx.Err()
}

// begin returns the newest order and a context that ends when the order changes.
func (w *Worker) begin(ctx context.Context) (o order, orderCtx context.Context, free func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	orderCtx, w.cancel = context.WithCancel(ctx)
	return w.order, orderCtx, w.cancel
}

func (w *Worker) setOrder(content []byte) {
	var o order
	if json.Unmarshal(content, &o) != nil {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	before := w.order
	w.order = o
	if !before.same(o) {
		w.cancel()
		w.ordered.notify()
	}
}

func (w *Worker) request(ctx context.Context, timeout time.Duration, subject string, content []byte) (*nats.Msg, error) {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	return w.conn.RequestWithContext(ctx, subject, content)
}

// reconnect asks for news after reconnecting. It fails when the connection closes for good.
func (w *Worker) reconnect(ctx context.Context) error {
	changed := w.conn.StatusChanged(nats.CONNECTED, nats.CLOSED)
	defer w.conn.RemoveStatusListener(changed)
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-changed:
			if w.conn.IsClosed() {
				err := w.conn.LastError()
				return fmt.Errorf("cannot continue to play for run %s: %w: %s", w.cfg.Run, err, advice(err))
			}
			w.news.notify()
		}
	}
}

// follow reads the order and sends the status, regularly and at news, but no two times within newsPause.
func (w *Worker) follow(ctx context.Context) {
	for ctx.Err() == nil {
		w.readOrder(ctx)
		w.sendStatus()
		pause(ctx, newsPause)
		wait(ctx, w.news, statusEvery)
	}
}

func (w *Worker) readOrder(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, statusEvery)
	defer cancel()
	if content, err := w.get(ctx, entryRequest(w.cfg.Run, "order")); err == nil {
		w.setOrder(content)
	}
}

// sendStatus sends the worker's status and asks for news. It may be lost.
func (w *Worker) sendStatus() {
	w.mu.Lock()
	s := report{Order: w.order.Nonce}
	w.mu.Unlock()
	s.status = status{
		State: stateWaiting, Model: w.model.Load(), AtOnce: int(w.atOnce.Load()), Version: w.cfg.Version, Arithmetic: net.Arithmetic(),
	}
	switch {
	case w.fetching.Load() > 0:
		s.State = stateFetching
	case w.playing.Load():
		s.State = statePlaying
	}
	w.conn.PublishRequest(statusSubject(w.cfg.Run, w.cfg.Name), w.inbox, encode(s))
}

package cluster

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"golang.org/x/sync/errgroup"

	"tengen/net"
	"tengen/replay"
	"tengen/selfplay"
)

// CoordinatorConfig describes a Coordinator.
type CoordinatorConfig struct {
	Run      string // its name on the server
	Settings Settings
	Server   *Server // nil for an external server, where other processes may train

	Local selfplay.Player            // plays in this process; nil: only workers play
	Check func(*replay.Record) error // fails for a game that breaks the rules

	Verify   float64         // share of workers' games that Verifier plays again
	Verifier selfplay.Player // nil if Verify is 0

	Report func(error) // receives non-fatal errors, from several goroutines
}

// Coordinator plays a run's games in this process and on workers.
type Coordinator struct {
	cfg       CoordinatorConfig
	conn      *nats.Conn
	js        jetstream.JetStream
	settings  []byte   // as published
	digest    string   // of settings
	delays    *notices // errors that keep tasks from workers
	malformed *notices // workers' invalid messages
	members   *members
	local     *localPlay     // nil if only workers play
	hungry    signal         // sent when a worker may have more games
	ended     atomic.Bool    // the run has all its iterations
	arrived   chan *nats.Msg // messages with games
	verified  atomic.Int64   // games played again

	end     context.CancelFunc
	running sync.WaitGroup
	job     atomic.Pointer[job] // nil between calls to Play

	reconciling sync.Mutex // held by reconcile, guards the fields below
	ready       bool       // the streams exist
	published   published
}

// published is what the server has.
type published struct {
	model modelInfo // zero if unknown
	order *order    // in force; nil if unknown
	job   *job      // of the order, nil if workers are to wait; its games may be handed out
}

// NewCoordinator publishes a run's settings. It fails if another process trains the run. It takes ownership of conn.
func NewCoordinator(ctx context.Context, conn *nats.Conn, cfg CoordinatorConfig) (*Coordinator, error) {
	cfg.Settings.Protocol, cfg.Settings.Semantics = Protocol, selfplay.Semantics
	c := &Coordinator{
		cfg: cfg, conn: conn, settings: encode(cfg.Settings), hungry: newSignal(),
		delays: newNotices(cfg.Report), malformed: newNotices(cfg.Report), members: &members{all: map[string]*member{}},
		arrived: make(chan *nats.Msg, maxArrived),
	}
	c.js = must(jetstream.New(conn, jetstream.WithDefaultTimeout(callWait), jetstream.WithPublishAsyncTimeout(callWait),
		jetstream.WithPublishAsyncErrHandler(c.refuse)))
	c.digest = digest(c.settings)
	if cfg.Local != nil {
		c.local = &localPlay{player: cfg.Local, holder: newHolder()}
	}
	running, end := context.WithCancel(context.Background())
	c.end = end
	if err := c.open(ctx); err != nil {
		c.Close()
		return nil, fmt.Errorf("cannot train run %s on this server: %w", cfg.Run, err)
	}
	c.running.Go(func() { c.maintain(running) })
	c.running.Go(func() { c.receive(running) })
	return c, nil
}

func (c *Coordinator) open(ctx context.Context) error {
	run := c.cfg.Run
	var err error
	if c.cfg.Server == nil {
		err = c.checkAlone()
	} else { // an earlier process may have ended before false games were dropped
		c.members.newlyBanned, err = falseWorkers(c.cfg.Server.cfg.Dir)
	}
	if err != nil {
		return err
	}
	for subject, handler := range map[string]nats.MsgHandler{
		trainerSubject(run):     func(m *nats.Msg) { m.Respond(nil) },
		gamesSubject(run, "*"):  c.arrive,
		statusSubject(run, "*"): c.receiveStatus,
	} {
		if _, err := c.conn.Subscribe(subject, handler); err != nil {
			return err
		}
	}
	return c.prepare(ctx)
}

func (c *Coordinator) checkAlone() error {
	_, err := c.conn.Request(trainerSubject(c.cfg.Run), nil, callWait)
	switch {
	case err == nil:
		return errors.New("another process trains it: stop that one, or choose another name with cluster.run")
	case errors.Is(err, nats.ErrNoResponders):
		return nil
	}
	return err
}

// Close stops the coordinator and closes its connection. Workers wait for the next trainer.
func (c *Coordinator) Close() {
	c.end()
	c.running.Wait()
	c.conn.Close()
}

// Finish tells the workers that the run has ended. It returns once those that are connected know, at the latest after
// farewell. Play must not be called afterwards.
func (c *Coordinator) Finish(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, farewell)
	defer cancel()
	c.ended.Store(true)
	c.attempt(ctx, c.reconcile)
	for ; ctx.Err() == nil && !c.members.know(time.Now()); pause(ctx, pollEvery/4) {
	}
}

// Play calls next until that returns false, before any game begins, and returns when the sink has stored all games.
// Errors come from ctx, the sink or this process's players, never from workers or the server.
func (c *Coordinator) Play(ctx context.Context, model uint64, w *net.Weights, next func() (uint64, bool), sink replay.Sink) (replay.Stats, error) {
	var numbers []uint64
	for n, ok := next(); ok; n, ok = next() {
		numbers = append(numbers, n)
	}
	if len(numbers) == 0 {
		return replay.Stats{}, nil
	}
	file := net.Model{Game: c.cfg.Settings.Game, Iteration: int(model), Weights: w}
	content, err := file.MarshalBinary()
	if err != nil {
		return replay.Stats{}, err
	}
	verified := c.verified.Load()
	j := newJob(ctx, model, w, numbers, sink)
	j.file, j.info = content, modelInfo{Iteration: model, Size: len(content), SHA256: digest(content)}
	c.job.Store(j)
	c.attempt(ctx, c.reconcile)
	stats, err := c.play(ctx, j)
	if err == nil {
		err = sink.Flush(ctx)
	}
	if err != nil {
		return replay.Stats{}, err
	}
	stats.Games, stats.Duration = len(j.numbers), time.Since(j.started)
	stats.Simulations += j.simulations
	stats.Verified = int(c.verified.Load() - verified)
	if c.cfg.Local == nil {
		stats.Waiting = stats.Duration - stats.Verifying
	}
	return stats, nil
}

// play returns when all of the job's games are kept and checked.
func (c *Coordinator) play(ctx context.Context, j *job) (stats replay.Stats, err error) {
	checking, stop := context.WithCancel(ctx)
	defer stop()
	var verifying errgroup.Group
	verifying.Go(func() (err error) {
		if err = c.verify(checking, j); err != nil {
			j.end(err)
		}
		return err
	})
	var playing sync.WaitGroup
	if c.local != nil {
		playing.Go(func() {
			stats, err = c.local.play(j)
			j.end(err) // a no-op if the job has ended
		})
	}
	<-j.ctx.Done()
	playing.Wait()
	c.job.Store(nil)
	c.attempt(context.WithoutCancel(ctx), c.reconcile)
	j.using.Lock() // waits until no goroutine uses the sink
	j.sink = nil
	j.using.Unlock()
	close(j.checks)
	if err = context.Cause(j.ctx); errors.Is(err, errDone) {
		played := time.Now()
		err := verifying.Wait()
		stats.Verifying = time.Since(played)
		return stats, err
	}
	stop()
	verifying.Wait()
	return stats, err
}

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

// PoolConfig describes a Pool.
type PoolConfig struct {
	Run      string // the run's name on the server
	Settings Settings
	Alone    bool // no other process can train on this server, as on the run's own
	Replicas int  // servers of a cluster that keep the streams, 1 if 0
	Mixed    bool // takes games of another arithmetic than this process has; such a run cannot be repeated

	Local Player                     // plays in this process; nil: workers alone play
	Check func(*replay.Record) error // refuses a game that breaks the rules

	Verify float64 // share of the games from elsewhere that Replay plays again
	Replay Player  // nil if Verify is 0
	// Revoke takes a worker's token away; may be nil. Whatever it does, the pool takes no more games of that worker.
	Revoke func(worker string, why Ban) error

	Report func(error) // is called with what goes wrong and does not stop the run, by several goroutines at once
}

// Pool plays the games of a run, here and by workers elsewhere.
type Pool struct {
	cfg      PoolConfig
	conn     *nats.Conn
	js       jetstream.JetStream
	settings []byte        // as published
	digest   string        // of settings
	patience time.Duration // leastPatience
	delays   *notices      // of the server
	garbage  *notices      // of workers
	members  *members
	puller   *puller        // of this process
	arrived  chan *nats.Msg // messages with games
	verified atomic.Int64   // games that were played again
	skipped  atomic.Int64   // games that could not be

	end     context.CancelFunc
	running sync.WaitGroup
	subs    []*nats.Subscription

	book atomic.Pointer[book] // nil while nothing is to be played

	tending   sync.Mutex // held during reconcile, which has these
	ready     bool       // the streams are there
	published modelInfo  // the model that is there
	told      *order     // that workers have
	stocked   *book      // whose tasks were published
}

// openWait is for how long a server may take to begin a run.
const openWait = 30 * time.Second

// NewPool publishes the settings of a run, and refuses a run that another process trains on the same server. It does not close
// the connection.
func NewPool(ctx context.Context, conn *nats.Conn, cfg PoolConfig) (*Pool, error) {
	js, err := jetstream.New(conn)
	if err != nil {
		return nil, err
	}
	cfg.Settings.Protocol, cfg.Settings.Semantics, cfg.Settings.Mixed = Protocol, selfplay.Semantics, cfg.Mixed
	p := &Pool{
		cfg: cfg, conn: conn, js: js, settings: encode(cfg.Settings),
		patience: leastPatience, delays: newNotices(cfg.Report), garbage: newNotices(cfg.Report), members: &members{all: map[string]*member{}},
		arrived: make(chan *nats.Msg, mostArrived),
	}
	p.digest = digest(p.settings)
	running, end := context.WithCancel(context.Background())
	p.end = end
	if err := p.open(ctx); err != nil {
		p.Close()
		return nil, fmt.Errorf("cannot train run %s on this server: %w", cfg.Run, err)
	}
	p.running.Go(func() { p.tend(running) })
	p.running.Go(func() { p.receive(running) })
	return p, nil
}

func (p *Pool) open(ctx context.Context) (err error) {
	run := p.cfg.Run
	if err = CheckRun(run); err == nil && !p.cfg.Alone {
		err = p.onlyOne(ctx)
	}
	if err == nil {
		p.puller, err = newPuller(p.conn, run)
		p.subs = append(p.subs, p.puller.answers)
	}
	for subject, handler := range map[string]nats.MsgHandler{
		trainerSubject(run):     func(m *nats.Msg) { m.Respond(nil) },
		gamesSubject(run, "*"):  p.arrive,
		statusSubject(run, "*"): func(m *nats.Msg) { p.members.say(lastPart(m.Subject), m.Data) },
	} {
		if err == nil {
			var sub *nats.Subscription
			sub, err = p.conn.Subscribe(subject, handler)
			p.subs = append(p.subs, sub)
		}
	}
	if err == nil {
		err = p.prepare(ctx)
	}
	return err
}

// onlyOne refuses to train while another process trains the run.
func (p *Pool) onlyOne(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, callWait)
	defer cancel()
	if _, err := p.conn.RequestWithContext(ctx, trainerSubject(p.cfg.Run), nil); err == nil {
		return errors.New("another process trains it: stop that one, or choose another name, cluster.run")
	} else if !errors.Is(err, nats.ErrNoResponders) {
		return err
	}
	return nil
}

// Close ends what is under way. The workers wait for the next trainer.
func (p *Pool) Close() error {
	for _, sub := range p.subs {
		sub.Unsubscribe()
	}
	p.end()
	p.running.Wait()
	return nil
}

// Generate plays the games with these numbers, with the weights of a model, and returns when the sink has all of them safe. A
// game is the same here and on a worker. The error is from ctx, the sink or the players in this process: workers and the server
// cannot cause one. It must not be called again before it has returned.
func (p *Pool) Generate(ctx context.Context, model uint64, w *net.Weights, numbers []uint64, sink replay.Sink) (replay.Stats, error) {
	if len(numbers) == 0 {
		return replay.Stats{}, nil
	}
	file := net.Model{Game: p.cfg.Settings.Game, Iteration: int(model), Weights: w}
	content, err := file.MarshalBinary()
	if err != nil {
		return replay.Stats{}, err
	}
	verified, skipped := p.verified.Load(), p.skipped.Load()
	b := newBook(ctx, model, w, numbers, sink)
	b.file, b.info = content, modelInfo{Iteration: model, Size: len(content), SHA256: digest(content)}
	p.show(ctx, b)
	stats, err := p.play(ctx, b)
	if err == nil {
		err = sink.Flush(ctx)
	}
	if err != nil {
		return replay.Stats{}, err
	}
	stats.Games, stats.Duration = len(b.numbers), time.Since(b.started)
	stats.Simulations += b.simulations
	stats.Verified, stats.Unverified = int(p.verified.Load()-verified), int(p.skipped.Load()-skipped)
	if p.cfg.Local == nil {
		stats.Waiting = stats.Duration - stats.Verifying
	}
	return stats, nil
}

// show makes a book the one that is played, nil for none, and tells the workers.
func (p *Pool) show(ctx context.Context, b *book) {
	p.book.Store(b)
	p.reconcile(ctx)
}

// play returns when all games of the book are kept.
func (p *Pool) play(ctx context.Context, b *book) (stats replay.Stats, err error) {
	checking, stop := context.WithCancel(ctx)
	defer stop()
	var verifying errgroup.Group
	verifying.Go(func() (err error) {
		if err = p.verify(checking, b); err != nil {
			b.end(err)
		}
		return err
	})
	var playing sync.WaitGroup
	if p.cfg.Local != nil {
		playing.Go(func() {
			stats, err = p.playHere(b)
			b.end(err) // which is nothing new if the book has ended
		})
	}
	<-b.ctx.Done()
	playing.Wait()
	p.show(context.WithoutCancel(ctx), nil)
	b.using.Lock() // no goroutine hands anything to the sink from here on
	b.sink = nil
	b.using.Unlock()
	close(b.checks)
	if err = context.Cause(b.ctx); errors.Is(err, errDone) {
		played := time.Now()
		err := verifying.Wait()
		stats.Verifying = time.Since(played)
		return stats, err
	}
	stop()
	verifying.Wait()
	return stats, err
}

package cluster

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"

	"tengen/cluster/natslog"
	"tengen/net"
	"tengen/replay"
	"tengen/selfplay"
	"tengen/train"
)

// CoordinatorConfig describes a Coordinator.
type CoordinatorConfig struct {
	Run      string // the run's name on the server
	Replicas int    // as in natslog.LogConfig
	Settings Settings
	// MaxModelAge is by how many iterations the model of a game may be older than the newest.
	MaxModelAge int
	// MaxBacklog is how many iterations' worth of games may wait while the run learns. Workers pause beyond that.
	MaxBacklog int
	// Elsewhere says that no worker is in this process: it does nothing but wait for games.
	Elsewhere bool
	// Alone says that no other process may coordinate the run: the entries of one that does are not written over.
	Alone  bool
	Check  func(*replay.Record) error // refuses a game that breaks the rules
	Room   func() error               // says why no more games can be kept, nil: they can; may be nil. It should return soon
	Verify VerifyConfig
	Report func(error) // is told of what is skipped and of what is waited for, by several goroutines at once
}

// Coordinator is the train.GameSource of a run whose games are played by Workers. They append them to a Log, and the run takes
// them in the order of their sequence numbers: a cursor is that of the last game taken. A game is taken if it is of this run,
// keeps the rules, its model is not too old, and its worker has never sent a false one, see VerifyConfig. What is skipped stands in
// the notes of the batch, which are part of the checkpoint, so that a run which was killed goes on with the same games.
//
// Every request gets as many games as it asks for. More wait in the log, up to a limit: workers play against leases alone, and
// there are none beyond it. So learning is never more than MaxBacklog iterations behind.
//
// Next, Recent and Retain are not safe for concurrent use.
type Coordinator struct {
	cfg      CoordinatorConfig
	log      *natslog.Log
	models   *natslog.Models
	bucket   *natslog.Bucket
	workers  workerStats
	verify   *verifier
	cursor   uint64  // of the last batch
	skipped  skips   // games that were not taken
	ordered  order   // in effect
	spread   float64 // iterations' worth of games that may be under way at most, see calm
	stale    int     // games of the iteration under way whose model was too old
	dealer   *dealer
	starts   *instances
	came     atomic.Bool                  // an entry of the log, since watch looked last
	newest   atomic.Pointer[replay.Entry] // that was taken; nil if there is none
	patience patience
}

var _ train.GameSource = (*Coordinator)(nil)

// NewCoordinator publishes the settings of a run. It is as patient with the server as the log, and closes neither that nor the
// connection.
func NewCoordinator(ctx context.Context, conn *nats.Conn, log *natslog.Log, cfg CoordinatorConfig) (*Coordinator, error) {
	models, err := natslog.OpenModels(ctx, conn, cfg.Run, max(cfg.Replicas, 1), log.Patience())
	if err != nil {
		return nil, err
	}
	c := &Coordinator{
		cfg: cfg, log: log, models: models, bucket: models.Bucket(), spread: float64(1 + cfg.MaxBacklog), patience: usualPatience,
	}
	if cfg.Alone {
		c.bucket.WriteAlone()
	}
	c.cfg.Settings.Protocol, c.cfg.Settings.Semantics = protocol, selfplay.Semantics
	c.cfg.Settings.Digest = c.cfg.Settings.digest()
	if c.verify, err = newVerifier(cfg.Verify, c.cfg.Settings, cfg.Report); err == nil {
		c.workers.catch(c.verify.caught)
		err = c.open(ctx)
	}
	if err == nil {
		c.verify.counted, err = log.Last(ctx)
	}
	if err == nil {
		c.starts, err = openInstances(conn, cfg.Run, cfg.Report)
	}
	if err == nil {
		c.dealer, err = openDealer(conn, cfg.Run, &dealer{last: log.Last, room: cfg.Room, caught: c.workers.isCaught, report: cfg.Report})
	}
	if err != nil {
		c.Close()
		return nil, fmt.Errorf("cannot coordinate run %s: %w", cfg.Run, err)
	}
	return c, nil
}

// open publishes the settings, unless another run has the place. A damaged entry is replaced.
func (c *Coordinator) open(ctx context.Context) error {
	var old Settings
	err := c.bucket.Get(ctx, settingsKey, &old)
	if err == nil {
		err = c.cfg.Settings.agrees(old)
	}
	if err != nil && !errors.Is(err, natslog.ErrNoEntry) && !errors.Is(err, replay.ErrDamaged) {
		return err
	}
	return c.bucket.Put(ctx, settingsKey, c.cfg.Settings)
}

// Close ends what is under way.
func (c *Coordinator) Close() error {
	if c.starts != nil {
		c.starts.close()
	}
	if c.dealer != nil {
		c.dealer.close()
	}
	return c.models.Close()
}

// Next implements train.GameSource: it publishes the model, and waits until the workers have played the games.
func (c *Coordinator) Next(ctx context.Context, r train.Request) (train.Batch, error) {
	c.workers.begin(time.Now())
	if err := c.publish(ctx, r); err != nil {
		return train.Batch{}, err
	}
	batch, err := c.harvest(ctx, r)
	if err != nil {
		return train.Batch{}, err
	}
	if err := c.log.Flush(ctx); err != nil { // a checkpoint never counts a game of whose loss nobody would know
		return train.Batch{}, err
	}
	if batch.Notes, err = json.Marshal(notes{c.skipped}); err != nil {
		return train.Batch{}, err
	}
	c.cursor = batch.Cursor
	c.calm(r.Games)
	batch.Verified = c.verify.take()
	c.workers.verify(batch.Verified)
	batch.Stats = replay.Stats{Games: r.Games, Duration: c.workers.end(time.Now())}
	if refused := c.workers.refusals(); refused != nil {
		c.cfg.Report(refused)
	}
	return batch, nil
}

// calm adapts how many games may be under way to how many of the n games of an iteration, and those beside them, came too late. Games
// that take long, while others are quick, come when their model is old; the fewer are under way, the longer an iteration takes.
func (c *Coordinator) calm(n int) {
	const late, less, more, least = 0.05, 0.7, 1.1, 0.05
	if float64(c.stale) > late*float64(n+c.stale) {
		c.spread = max(c.spread*less, least)
	} else {
		c.spread = min(c.spread*more, float64(1+c.cfg.MaxBacklog))
	}
	c.stale = 0
}

// publish makes the model asked for the newest, unless it is, and asks the workers for games.
func (c *Coordinator) publish(ctx context.Context, r train.Request) error {
	model, err := (&net.Model{Game: c.cfg.Settings.Game, Iteration: int(r.Model), Weights: r.Weights}).MarshalBinary()
	if err != nil {
		return err
	}
	newest, err := c.models.Publish(ctx, r.Model, model)
	if err != nil {
		return err
	}
	c.verify.publish(r.Model, r.Weights)
	now := order{
		Protocol: protocol, Settings: c.cfg.Settings.Digest, Model: newest, Oldest: r.Model - min(r.Model, uint64(c.cfg.MaxModelAge)),
	}
	if now != c.ordered {
		if err := c.bucket.Put(ctx, orderKey, now); err != nil {
			return err
		}
		c.ordered = now
	}
	c.setLimit(r.After, r.Games, r.Games)
	return nil
}

// setLimit says up to which sequence number games are wanted:
//
//	limit = cursor + missing + MaxBacklog * n
//
// where cursor is the last entry that was looked at, and missing of the n games of the iteration have not been taken yet. Each
// skipped game raises it by one.
func (c *Coordinator) setLimit(cursor uint64, missing, n int) {
	model := c.ordered.Model.Iteration
	c.dealer.want(need{
		limit:  cursor + uint64(missing+n*c.cfg.MaxBacklog),
		most:   int(math.Ceil(c.spread * float64(n))),
		model:  c.ordered.Model.Name,
		oldest: model - min(model, uint64(max(c.cfg.MaxModelAge-1, 0))), // the game may come an iteration later
	})
}

// Workers describes those whose games came lately, by their names. It may be called by any goroutine.
func (c *Coordinator) Workers() []WorkerStatus { return c.workers.status() }

// Trust says which worker is in this process: its games are taken as they are, as it would only check itself, and nobody else may
// have its name. It is to be called before the worker runs.
func (c *Coordinator) Trust(worker, instance string) {
	c.verify.trusted[worker] = true
	c.starts.trust(worker, instance)
}

// Verified is what came of playing games again, in all iterations of this process. It may be called by any goroutine.
func (c *Coordinator) Verified() train.Verified { return c.workers.verifiedSoFar() }

// Refused is the number of games that this process did not take because they are too old or against the rules. It may be called
// by any goroutine.
func (c *Coordinator) Refused() uint64 { return c.workers.refusedSoFar() }

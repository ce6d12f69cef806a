package cluster

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
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
		c.dealer, err = openDealer(conn, cfg.Run, &dealer{last: log.Last, room: cfg.Room, caught: c.workers.isCaught, report: cfg.Report})
	}
	if err != nil {
		c.Close()
		return nil, fmt.Errorf("cannot coordinate run %s: %w", cfg.Run, err)
	}
	return c, nil
}

// notes are those of a train.Batch: what cannot be found out again about the games up to its cursor.
type notes struct {
	Skipped skips `json:"skipped"`
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
	if c.dealer != nil {
		c.dealer.close()
	}
	return c.models.Close()
}

// errEnough ends the reading of the log.
var errEnough = errors.New("enough games")

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

// harvest waits for the games and verifies them. When a worker is caught, it begins again: none of the worker's games counts in the
// iteration.
func (c *Coordinator) harvest(ctx context.Context, r train.Request) (train.Batch, error) {
	batch := train.Batch{Cursor: r.After, Elsewhere: c.cfg.Elsewhere}
	c.skipped.truncate(r.After)
	var taken []replay.Entry
	losses := newSummary(c.cfg.Report)
	r.Progress(0)
	following, unwatch := c.watched(ctx)
	err := c.log.Follow(following, r.After, func(e replay.Entry) error {
		c.came.Store(true)
		batch.Cursor = e.Sequence
		if c.take(r, e, losses) {
			batch.Games, taken = append(batch.Games, e.Game), append(taken, e)
			r.Progress(len(batch.Games))
		} else {
			c.skipped.add(e.Sequence)
		}
		if len(batch.Games) == r.Games {
			return errEnough
		}
		c.setLimit(batch.Cursor, r.Games-len(batch.Games), r.Games)
		return nil
	})
	unwatch()
	losses.end()
	if !errors.Is(err, errEnough) {
		return batch, err
	}
	caught, err := c.verify.check(ctx, r.After, taken)
	if caught && err == nil {
		c.workers.startOver()
		c.workers.catch(c.verify.caught)
		c.stale = 0
		return c.harvest(ctx, r)
	}
	return batch, err
}

// watched returns a context that ends with ctx, and with the error of watch; and what ends the watch.
func (c *Coordinator) watched(ctx context.Context) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		if err := c.watch(ctx); err != nil {
			cancel(err)
		}
	}()
	return ctx, func() {
		cancel(nil)
		<-ended
	}
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

// take reports whether an entry is one of the games asked for, and keeps account.
func (c *Coordinator) take(r train.Request, e replay.Entry, losses *summary) bool {
	if e.Err != nil {
		if !errors.Is(e.Err, replay.ErrDuplicate) {
			losses.add(e.Err)
		}
		return false
	}
	err := c.checkGame(e.Game)
	if err == nil {
		if err = c.checkAge(r.Model, e.Game.Model); err != nil {
			c.stale++
		}
	}
	if err == nil {
		err = c.verify.allow(e)
	}
	if err != nil {
		c.workers.refuse(fmt.Errorf("sequence number %d, game %d of worker %s: %w", e.Sequence, e.Game.Number, e.Worker, err))
		return false
	}
	c.workers.count(e.Worker, e.Game.Model, r.Model)
	c.dealer.came(e.Worker)
	c.newest.Store(&e)
	return true
}

// checkGame refuses a game that is not of this run, or breaks the rules.
func (c *Coordinator) checkGame(g *replay.Record) error {
	if g.Seed != c.cfg.Settings.Seed {
		return fmt.Errorf("it is of a run with seed %d", g.Seed)
	}
	return c.cfg.Check(g)
}

// checkAge refuses a game whose model is too old, or unknown.
func (c *Coordinator) checkAge(newest, model uint64) error {
	switch {
	case model > newest:
		return fmt.Errorf("its model %d is newer than the newest, %d", model, newest)
	case newest-model > uint64(c.cfg.MaxModelAge):
		return fmt.Errorf("its model is %d iterations old, allowed are %d", newest-model, c.cfg.MaxModelAge)
	}
	return nil
}

// Recent implements train.GameSource.
func (c *Coordinator) Recent(ctx context.Context, cursor uint64, noted json.RawMessage, n int) (games []*replay.Record, err error) {
	if c.skipped, err = c.recall(ctx, noted); err != nil {
		return nil, err
	}
	last, err := c.log.Last(ctx)
	if err != nil {
		return nil, err
	}
	if last < cursor {
		return nil, fmt.Errorf("the checkpoint was made after game %d of the log, which ends with game %d: "+
			"they do not belong together; restore both from the same copy, or start a new run in another directory", cursor, last)
	}
	c.cursor = cursor
	losses := newSummary(c.cfg.Report)
	err = c.log.Read(ctx, 0, func(e replay.Entry) error {
		if e.Sequence > cursor {
			return errEnough
		}
		if c.skipped.has(e.Sequence) {
			return nil
		}
		if errors.Is(e.Err, replay.ErrVersion) {
			return e.Err // it was taken, so by a later version of the program
		}
		if e.Err == nil {
			e.Err = c.checkGame(e.Game)
		}
		if e.Err != nil {
			losses.add(e.Err)
			return nil
		}
		c.newest.Store(&e)
		if games = append(games, e.Game); len(games) > 2*n {
			games = slices.Delete(games, 0, len(games)-n)
		}
		return nil
	})
	losses.end()
	if err != nil && !errors.Is(err, errEnough) {
		return nil, err
	}
	return games[max(0, len(games)-n):], nil
}

// recall returns what was skipped, as it stands in the notes of a checkpoint. A run of an earlier version has it on the server.
func (c *Coordinator) recall(ctx context.Context, noted json.RawMessage) (skips, error) {
	if noted != nil {
		var past notes
		err := json.Unmarshal(noted, &past)
		return past.Skipped, err
	}
	var sequences []uint64
	err := c.bucket.Get(ctx, skippedKey, &sequences)
	switch {
	case errors.Is(err, natslog.ErrNoEntry):
		return nil, nil
	case errors.Is(err, replay.ErrDamaged):
		c.cfg.Report(fmt.Errorf("%w: games that were refused before may be among those of the window", err))
		return nil, nil
	}
	return newSkips(sequences), err
}

// Retain implements train.GameSource. Games that were skipped, or wait for the next iteration, do not count.
func (c *Coordinator) Retain(ctx context.Context, positions int) error {
	oldest, err := c.log.RetainCounted(ctx, max(positions, 1), func(sequence uint64) bool {
		return sequence <= c.cursor && !c.skipped.has(sequence)
	})
	if err != nil {
		return err
	}
	c.skipped.trim(oldest)
	return nil
}

// Workers describes those whose games came lately, by their names. It may be called by any goroutine.
func (c *Coordinator) Workers() []WorkerStatus { return c.workers.status() }

// Trust takes the games of a worker as they are: that of this process, which would only check itself.
func (c *Coordinator) Trust(worker string) { c.verify.trusted[worker] = true }

// Verified is what came of playing games again, in all iterations of this process. It may be called by any goroutine.
func (c *Coordinator) Verified() train.Verified { return c.workers.verifiedSoFar() }

// Refused is the number of games that this process did not take because they are too old or against the rules. It may be called
// by any goroutine.
func (c *Coordinator) Refused() uint64 { return c.workers.refusedSoFar() }

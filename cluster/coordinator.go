package cluster

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/nats-io/nats.go"

	"tengen/cluster/natslog"
	"tengen/net"
	"tengen/replay"
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
	Check     func(*replay.Record) error // refuses a game that breaks the rules
	Report    func(error)                // is told of what is skipped
}

// Coordinator is the train.GameSource of a run whose games are played by Workers. They append them to a Log, and the run takes
// them in the order of their sequence numbers: a cursor is that of the last game taken. A game is taken if it is of this run,
// keeps the rules, and its model is not too old. What is skipped is noted before an iteration's games are handed out, so
// that a run which was killed goes on with the same games.
//
// Every request gets as many games as it asks for. More wait in the log, up to a limit that the workers know; they pause
// there. So learning is never more than MaxBacklog iterations behind.
//
// Next, Recent and Retain are not safe for concurrent use.
type Coordinator struct {
	cfg     CoordinatorConfig
	log     *natslog.Log
	models  *natslog.Models
	bucket  *natslog.Bucket
	workers workerStats
	cursor  uint64   // of the last batch
	skipped []uint64 // sequence numbers of games that were not taken, ascending
	ordered order    // in effect
}

var _ train.GameSource = (*Coordinator)(nil)

// NewCoordinator publishes the settings of a run. It is as patient with the server as the log, and closes neither that nor the
// connection.
func NewCoordinator(ctx context.Context, conn *nats.Conn, log *natslog.Log, cfg CoordinatorConfig) (*Coordinator, error) {
	models, err := natslog.OpenModels(ctx, conn, cfg.Run, cfg.Replicas, log.Patience())
	if err != nil {
		return nil, err
	}
	c := &Coordinator{cfg: cfg, log: log, models: models, bucket: models.Bucket()}
	c.cfg.Settings.Protocol = protocol
	if err := c.open(ctx); err != nil {
		c.Close()
		return nil, fmt.Errorf("cannot coordinate run %s: %w", cfg.Run, err)
	}
	return c, nil
}

// open publishes the settings, unless another run has the place, and reads what was skipped. Damaged entries are replaced.
func (c *Coordinator) open(ctx context.Context) error {
	var old Settings
	err := c.bucket.Get(ctx, settingsKey, &old)
	if err == nil {
		err = c.cfg.Settings.agrees(old)
	}
	if err != nil && !errors.Is(err, natslog.ErrNoEntry) && !errors.Is(err, replay.ErrDamaged) {
		return err
	}
	if err := c.bucket.Put(ctx, settingsKey, c.cfg.Settings); err != nil {
		return err
	}
	err = c.bucket.Get(ctx, skippedKey, &c.skipped)
	switch {
	case errors.Is(err, replay.ErrDamaged):
		c.cfg.Report(fmt.Errorf("%w: games that were refused before may be among those of the window", err))
		c.skipped = nil
	case err != nil && !errors.Is(err, natslog.ErrNoEntry):
		return err
	}
	return nil
}

// Close ends what is under way.
func (c *Coordinator) Close() error { return c.models.Close() }

// errEnough ends the reading of the log.
var errEnough = errors.New("enough games")

// Next implements train.GameSource: it publishes the model, and waits until the workers have played the games.
func (c *Coordinator) Next(ctx context.Context, r train.Request) (train.Batch, error) {
	c.workers.begin(time.Now())
	if err := c.publish(ctx, r); err != nil {
		return train.Batch{}, err
	}
	batch := train.Batch{Cursor: r.After, Elsewhere: c.cfg.Elsewhere}
	known := len(c.skipped)
	c.skipped = slices.DeleteFunc(c.skipped, func(sequence uint64) bool { return sequence > r.After })
	changed := len(c.skipped) < known
	r.Progress(0)
	err := c.log.Follow(ctx, r.After, func(e replay.Entry) error {
		batch.Cursor = e.Sequence
		if c.take(r, e) {
			batch.Games = append(batch.Games, e.Game)
			r.Progress(len(batch.Games))
		} else {
			c.skipped, changed = append(c.skipped, e.Sequence), true
		}
		if len(batch.Games) == r.Games {
			return errEnough
		}
		return c.setLimit(ctx, batch.Cursor, r.Games-len(batch.Games), r.Games)
	})
	if !errors.Is(err, errEnough) {
		return train.Batch{}, err
	}
	if changed {
		if err := c.bucket.Put(ctx, skippedKey, c.skipped); err != nil {
			return train.Batch{}, fmt.Errorf("cannot note which games were skipped: %w", err)
		}
	}
	c.cursor = batch.Cursor
	batch.Stats = replay.Stats{Games: r.Games, Duration: c.workers.end(time.Now())}
	if refused := c.workers.refusals(); refused != nil {
		c.cfg.Report(refused)
	}
	return batch, nil
}

// publish makes the model asked for the newest, unless it is, and asks the workers for games.
func (c *Coordinator) publish(ctx context.Context, r train.Request) error {
	model, err := (&net.Model{Game: c.cfg.Settings.Game, Iteration: int(r.Model), Weights: r.Weights}).MarshalBinary()
	if err != nil {
		return err
	}
	newest, err := c.models.Newest(ctx)
	if errors.Is(err, natslog.ErrNoModel) || err == nil && !newest.Is(r.Model, model) {
		newest, err = c.models.Publish(ctx, r.Model, model)
	}
	if err != nil {
		return err
	}
	c.ordered = order{Run: c.cfg.Settings.Run, Model: newest}
	return c.setLimit(ctx, r.After, r.Games, r.Games)
}

// setLimit tells the workers up to which sequence number games are wanted:
//
//	limit = cursor + missing + MaxBacklog * n
//
// where cursor is the last entry that was looked at, and missing of the n games of the iteration have not been taken yet. Each
// skipped game raises it by one; only a rise by more than half of the backlog is told.
func (c *Coordinator) setLimit(ctx context.Context, cursor uint64, missing, n int) error {
	backlog := uint64(n * c.cfg.MaxBacklog)
	limit := cursor + uint64(missing) + backlog
	if c.ordered.Limit != 0 && limit <= c.ordered.Limit+backlog/2 {
		return nil
	}
	c.ordered.Limit = limit
	return c.bucket.Put(ctx, orderKey, c.ordered)
}

// take reports whether an entry is one of the games asked for, and keeps account.
func (c *Coordinator) take(r train.Request, e replay.Entry) bool {
	if e.Err != nil {
		if !errors.Is(e.Err, replay.ErrDuplicate) {
			c.cfg.Report(e.Err)
		}
		return false
	}
	err := c.checkGame(e.Game)
	if err == nil {
		err = c.checkAge(r.Model, e.Game.Model)
	}
	if err != nil {
		c.workers.refuse(fmt.Errorf("sequence number %d, game %d of worker %s: %w", e.Sequence, e.Game.Number, e.Worker, err))
		return false
	}
	c.workers.count(e.Worker, e.Game.Model, r.Model)
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
func (c *Coordinator) Recent(ctx context.Context, cursor uint64, n int) (games []*replay.Record, err error) {
	last, err := c.log.Last(ctx)
	if err != nil {
		return nil, err
	}
	if last < cursor {
		return nil, fmt.Errorf("the checkpoint was made after game %d of the log, which ends with game %d: "+
			"they do not belong together; restore both from the same copy, or start a new run in another directory", cursor, last)
	}
	c.cursor = cursor
	err = c.log.Read(ctx, 0, func(e replay.Entry) error {
		if e.Sequence > cursor {
			return errEnough
		}
		if _, skipped := slices.BinarySearch(c.skipped, e.Sequence); skipped {
			return nil
		}
		if e.Err == nil {
			e.Err = c.checkGame(e.Game)
		}
		if e.Err != nil {
			c.cfg.Report(e.Err)
			return nil
		}
		if games = append(games, e.Game); len(games) > 2*n {
			games = slices.Delete(games, 0, len(games)-n)
		}
		return nil
	})
	if err != nil && !errors.Is(err, errEnough) {
		return nil, err
	}
	return games[max(0, len(games)-n):], nil
}

// Retain implements train.GameSource. Games that were skipped, or wait for the next iteration, do not count.
func (c *Coordinator) Retain(ctx context.Context, positions int) error {
	oldest, err := c.log.RetainCounted(ctx, max(positions, 1), func(sequence uint64) bool {
		_, skipped := slices.BinarySearch(c.skipped, sequence)
		return sequence <= c.cursor && !skipped
	})
	if err != nil {
		return err
	}
	c.skipped = slices.DeleteFunc(c.skipped, func(sequence uint64) bool { return sequence < oldest })
	return nil
}

// Workers describes those whose games came lately, by their names. It may be called by any goroutine.
func (c *Coordinator) Workers() []WorkerStatus { return c.workers.status() }

// Refused is the number of games that this process did not take because they are too old or against the rules. It may be called
// by any goroutine.
func (c *Coordinator) Refused() uint64 { return c.workers.refusedSoFar() }

package cluster

import (
	"context"
	"errors"
	"fmt"

	"tengen/replay"
	"tengen/train"
)

// This file waits for the games of an iteration, and decides which of those in the log are taken.

// errEnough ends the reading of the log.
var errEnough = errors.New("enough games")

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
			caught, err := c.verify.countGarbage(e, c.garbage(e))
			if err != nil {
				return err
			}
			if caught {
				c.workers.catch(c.verify.caught)
			}
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

// garbage says why a message is no game of the run, whenever it comes; nil if it is one, or was one.
func (c *Coordinator) garbage(e replay.Entry) error {
	switch {
	case errors.Is(e.Err, replay.ErrDamaged), errors.Is(e.Err, replay.ErrVersion):
		return e.Err
	case e.Err == nil:
		return c.checkGame(e.Game)
	}
	return nil
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

package cluster

import (
	"context"
	"errors"
	"time"

	"tengen/cluster/natslog"
	"tengen/net"
	"tengen/replay"
)

// pollInterval is how often a worker looks for a new order, should the server have forgotten to tell of it.
const pollInterval = time.Second

// follow takes up new orders and their models.
func (w *Worker) follow(ctx context.Context) error {
	watcher, err := w.bucket.Watch(ctx, orderKey)
	if err != nil {
		return err
	}
	defer watcher.Stop()
	updates := watcher.Updates()
	for {
		if err := w.poll(ctx); err != nil {
			return err
		}
		select {
		case w.polled <- struct{}{}:
		default:
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case _, more := <-updates:
			if !more {
				updates = nil
			}
		case <-time.After(pollInterval):
		}
	}
}

// poll reads the order, and fetches its model if that is another.
func (w *Worker) poll(ctx context.Context) error {
	var o order
	err := w.bucket.Get(ctx, orderKey, &o)
	if errors.Is(err, natslog.ErrNoEntry) {
		return nil // the run is about to begin
	}
	if err != nil {
		return err
	}
	if o.Run != w.settings.Run {
		return errors.New("the server holds another run by now: start the worker anew")
	}
	if t := w.task.Load(); t == nil || t.model.Name != o.Model.Name {
		file, err := w.models.Fetch(ctx, o.Model)
		if err != nil && ctx.Err() == nil {
			newest, again := w.models.Newest(ctx)
			if again == nil && newest.Name != o.Model.Name {
				return nil // it has been replaced
			}
		}
		if err != nil {
			return err
		}
		var m net.Model
		if err := m.UnmarshalBinary(file); err != nil {
			return err
		}
		if err := m.Check(w.settings.Game, w.settings.Shape); err != nil {
			return err
		}
		w.task.Store(&task{o.Model, m.Weights})
	}
	w.limit.Store(o.Limit)
	return nil
}

// play plays with one model after the other, whenever there is a need for games.
func (w *Worker) play(ctx context.Context, finished chan<- *replay.Record) error {
	for {
		for w.paused() {
			select {
			case <-ctx.Done():
				return ctx.Err()
			case <-w.polled:
			}
		}
		if err := w.playModel(ctx, w.task.Load(), finished); err != nil {
			return err
		}
	}
}

// playModel plays until there is another model, or no need for games.
func (w *Worker) playModel(ctx context.Context, t *task, finished chan<- *replay.Record) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	next := func() (uint64, bool) {
		if w.paused() || w.task.Load() != t {
			return 0, false
		}
		number, err := w.spool.number()
		if err != nil {
			cancel(err)
		}
		w.open.Add(1)
		return number, err == nil
	}
	_, err := w.player.Play(ctx, t.model.Iteration, t.weights, next, func(g *replay.Record) error {
		g.Seed = w.settings.Seed // the record is of the run; the worker's own seed follows from its name
		select {
		case finished <- g:
			w.played.Add(1)
			return nil
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	})
	if cause := context.Cause(ctx); cause != nil {
		return cause
	}
	return err
}

// fullWait is the pause before a game is sent again that a full server has refused.
const fullWait = 5 * time.Second

// send sends what is in the spool, each game until the server has it.
func (w *Worker) send(ctx context.Context) error {
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case number := <-w.spool.pending:
			if err := w.sendGame(ctx, number); err != nil {
				return err
			}
		}
	}
}

func (w *Worker) sendGame(ctx context.Context, number uint64) error {
	worker, g, err := w.spool.get(number)
	if errors.Is(err, replay.ErrDamaged) {
		w.cfg.Report(err)
		w.open.Add(-1)
		return nil
	}
	if err != nil {
		return err
	}
	for {
		sequence, err := w.log.Append(ctx, worker, g)
		if err == nil {
			for old := w.reached.Load(); old < sequence && !w.reached.CompareAndSwap(old, sequence); old = w.reached.Load() {
			}
			w.open.Add(-1)
			return w.spool.remove(number)
		}
		if !natslog.IsFull(err) {
			return err
		}
		w.cfg.Report(err)
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(fullWait):
		}
	}
}

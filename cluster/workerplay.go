package cluster

import (
	"context"
	"errors"
	"time"

	"tengen/replay"
)

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
		if !isFull(err) {
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

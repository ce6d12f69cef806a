package cluster

import (
	"context"
	"errors"
	"fmt"
	"time"

	"golang.org/x/sync/errgroup"

	"tengen/cluster/natslog"
	"tengen/net"
	"tengen/replay"
)

// pollInterval is how often a worker looks for a new order, should neither the run nor a lease have told of it.
const pollInterval = 10 * time.Second

// follow takes up new orders.
func (w *Worker) follow(ctx context.Context) error {
	changed, stop, err := w.bucket.Watch(orderKey)
	if err != nil {
		return err
	}
	defer stop()
	for {
		if err := w.poll(ctx); err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-changed:
		case <-w.look:
		case <-time.After(jitter(pollInterval)):
		}
	}
}

// poll reads the order.
func (w *Worker) poll(ctx context.Context) error {
	var o order
	err := w.bucket.Get(ctx, orderKey, &o)
	if errors.Is(err, natslog.ErrNoEntry) {
		return nil // the run is about to begin
	}
	if err != nil {
		return err
	}
	if fits, err := w.fits(ctx, o); !fits {
		return err
	}
	w.obey(&o)
	return nil
}

// fits reports whether an order is of the program and the settings that the worker plays for. If not, it may have been left by those
// before; the error says why the worker cannot play for the run any more.
func (w *Worker) fits(ctx context.Context, o order) (bool, error) {
	if o.Protocol == protocol && o.Settings == w.settings.Digest {
		return true, nil
	}
	now, err := readSettings(ctx, w.bucket)
	switch {
	case err != nil:
		return false, fmt.Errorf("the worker does not fit the run any more: %w", err)
	case now.Run != w.settings.Run:
		return false, errors.New("the server holds another run by now: start the worker anew")
	case now.Digest != w.settings.Digest:
		return false, errors.New("the run goes on with other settings: start the worker anew")
	}
	return false, nil
}

// play lets each part of the player play until the worker drains.
func (w *Worker) play(ctx context.Context, finished chan<- *replay.Record) error {
	parts := []Player{w.player}
	if p, ok := w.player.(Divisible); ok {
		parts = p.Parts()
	}
	group, ctx := errgroup.WithContext(ctx)
	for _, p := range parts {
		group.Go(func() error { return w.playPart(ctx, p, finished) })
	}
	return group.Wait()
}

// playPart plays with one model after the other, whenever there is a lease, until the worker drains.
func (w *Worker) playPart(ctx context.Context, player Player, finished chan<- *replay.Record) error {
	for {
		rung := w.wake.rung()
		switch t := w.task.Load(); {
		case w.draining.Load():
			return nil
		case !w.outdated() && w.allowed.left.Load() > 0:
			if err := w.playModel(ctx, player, t, finished); err != nil {
				return err
			}
			continue
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-rung:
		}
	}
}

// playModel plays until there is another model, or no lease.
func (w *Worker) playModel(ctx context.Context, player Player, t *task, finished chan<- *replay.Record) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	next := func() (uint64, bool) {
		w.open.Add(1) // before the lease is used up, so that demand never misses the game
		if w.draining.Load() || w.task.Load() != t || w.outdated() || !w.allowed.take() {
			w.open.Add(-1)
			return 0, false
		}
		number, err := w.spool.number()
		if err != nil {
			w.open.Add(-1)
			cancel(err)
			return 0, false
		}
		w.pace.change(1, 0)
		return number, true
	}
	_, err := player.Play(ctx, t.model.Iteration, t.weights, next, func(g *replay.Record) error {
		w.pace.change(0, 1)
		g.Seed = w.settings.Seed // the record is of the run; the worker's own seed follows from its name
		g.Arithmetic = net.Arithmetic()
		select {
		case finished <- g:
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

// keep puts finished games into the spool until there will be no more. Those that come while others are written wait, and are
// written together: the slower the disk, the more at once.
func (w *Worker) keep(ctx context.Context, finished <-chan *replay.Record) error {
	for g := range finished {
		games := []*replay.Record{g}
		for waiting := min(len(finished), queueLength-1); waiting > 0; waiting-- {
			games = append(games, <-finished)
		}
		if err := w.spool.put(ctx, games); err != nil {
			return err
		}
		w.played.Add(int64(len(games)))
	}
	return nil
}

// send sends what is in the spool, each game until the server has it.
func (w *Worker) send(ctx context.Context) error {
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case kept := <-w.spool.pending:
			if err := w.sendGame(ctx, kept); err != nil {
				return err
			}
		}
	}
}

func (w *Worker) sendGame(ctx context.Context, kept spooledGame) error {
	g, err := w.spool.get(kept)
	if errors.Is(err, replay.ErrDamaged) {
		w.cfg.Report(err)
		w.open.Add(-1)
		return nil
	}
	if err != nil {
		return err
	}
	if _, err := w.log.Append(ctx, g); err != nil {
		return err
	}
	w.trouble.Store(nil)
	if w.open.Add(-1) == 0 {
		notify(w.want)
	}
	return w.spool.remove(kept)
}

package cluster

import (
	"context"
	"errors"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"tengen/net"
)

// pollInterval is how often a worker looks for a new order, should the server have forgotten to tell of it.
const pollInterval = time.Second

// follow takes up new orders and their models.
func (w *Worker) follow(ctx context.Context) error {
	var watcher jetstream.KeyWatcher
	err := w.models.call(ctx, func(context.Context) (err error) {
		watcher, err = w.models.bucket.Watch(ctx, orderKey, jetstream.MetaOnly()) // lasts as long as its context
		return err
	})
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
	err := w.models.call(ctx, func(ctx context.Context) error { return get(ctx, w.models.bucket, orderKey, &o) })
	if errors.Is(err, errNoEntry) {
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

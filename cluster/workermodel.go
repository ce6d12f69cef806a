package cluster

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"tengen/cluster/modelcache"
	"tengen/cluster/natslog"
	"tengen/net"
)

// task is a model to play with.
type task struct {
	model   natslog.Model
	weights *net.Weights
}

// download is a model on its way.
type download struct {
	model   natslog.Model
	arrived atomic.Int64 // bytes
	cancel  context.CancelCauseFunc
}

// errOutdated ends a download of a model whose games would not be taken any more.
var errOutdated = errors.New("its games would not be taken any more")

// fetchModels brings the models of the orders, one at a time. What is on its way is brought to its end even if there is a newer one, as
// long as its games are taken: on a slow line newer ones may come faster than any arrives.
func (w *Worker) fetchModels(ctx context.Context) error {
	for {
		o, t := w.order.Load(), w.task.Load()
		if o != nil && (t == nil || t.model.Name != o.Model.Name) {
			if err := w.fetchModel(ctx, o.Model); err != nil {
				return err
			}
			continue
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-w.ordered:
		}
	}
}

// fetchModel brings a model, from the cache of the host or from the run, unless there is another one to fetch meanwhile.
func (w *Worker) fetchModel(ctx context.Context, model natslog.Model) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	d := &download{model: model, cancel: cancel}
	w.download.Store(d)
	defer w.download.Store(nil)
	for failures := 0; ; failures++ {
		arrived := func(bytes int) { d.arrived.Store(int64(bytes)) }
		file, err := w.cfg.Models.Load(ctx, model.SHA256, model.Size, arrived, func(p *modelcache.Part) error {
			return w.models.Fetch(ctx, model, p, w.cfg.Report)
		})
		switch {
		case err == nil:
			return w.takeUp(model, file)
		case errors.Is(context.Cause(ctx), errOutdated):
			w.cfg.Report(fmt.Errorf("the model of iteration %d was on its way for too long, %d of %d bytes have arrived: %w: "+
				"if that does not end, raise cluster.max_model_age or train.games_per_iteration of the run",
				model.Iteration, d.arrived.Load(), model.Size, errOutdated))
			return nil
		case ctx.Err() != nil:
			return ctx.Err()
		case !errors.Is(err, natslog.ErrModelGone) && !errors.Is(err, modelcache.ErrDamaged):
			return err
		case w.order.Load().Model.Name != model.Name:
			return nil
		}
		w.cfg.Report(fmt.Errorf("the model of iteration %d: %w: trying again until there is another", model.Iteration, err))
		select {
		case <-ctx.Done():
		case <-time.After(natslog.Pause(failures)):
		}
	}
}

// takeUp makes a model the one that plays.
func (w *Worker) takeUp(model natslog.Model, file []byte) error {
	var m net.Model
	if err := m.UnmarshalBinary(file); err != nil {
		return err
	}
	if err := m.Check(w.settings.Game, w.settings.Shape); err != nil {
		return err
	}
	if playing := w.task.Load(); playing != nil && !m.Weights.SameArchitecture(playing.weights) {
		return errors.New("the run has sent a model of another architecture than the one before")
	}
	w.task.Store(&task{model, m.Weights})
	w.wake.ring()
	notify(w.want)
	return nil
}

// obey takes note of an order, and gives up a download that is of no use by it. If the order is new, there may be something to do.
func (w *Worker) obey(o *order) {
	before := w.order.Swap(o)
	if d := w.download.Load(); d != nil && !o.takes(d.model) {
		d.cancel(errOutdated)
	}
	if before == nil || *before != *o {
		notify(w.ordered)
		notify(w.want)
		w.wake.ring()
	}
}

// outdated reports whether the run takes no games of the worker's model, or the worker has none.
func (w *Worker) outdated() bool {
	o, t := w.order.Load(), w.task.Load()
	return o == nil || t == nil || !o.takes(t.model)
}

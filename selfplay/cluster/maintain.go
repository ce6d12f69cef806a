package cluster

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// callWait limits calls to a server. Failed calls are repeated.
const callWait = 10 * time.Second

// maintain keeps the server consistent with the current job until ctx ends, and hands out games.
func (c *Coordinator) maintain(ctx context.Context) {
	second := time.NewTicker(time.Second)
	defer second.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-c.hungry:
			c.attempt(ctx, c.handOut)
		case now := <-second.C:
			c.members.review()
			c.pardon(now)
			c.attempt(ctx, func(ctx context.Context) error {
				return errors.Join(c.reconcile(ctx), c.inspect(ctx, now), c.handOut(ctx))
			})
		}
	}
}

// pardon forgets the bans of workers that have got another token at the run's own server. now is before the call.
func (c *Coordinator) pardon(now time.Time) {
	if c.cfg.Server == nil {
		return
	}
	workers, _ := ListWorkers(c.cfg.Server.cfg.Dir) // the server reports an error
	valid := map[string]bool{}
	for _, w := range workers {
		valid[w.Name] = w.Revoked.IsZero() // a name's newest token comes last
	}
	c.members.each(func(name string, w *member) {
		if valid[name] && !w.revoked.IsZero() && w.revoked.Before(now) {
			w.Banned, w.revoked, w.falseGames, w.malformed = "", time.Time{}, false, 0
		}
	})
}

// attempt calls f with the server to itself. A later call repeats what fails.
func (c *Coordinator) attempt(ctx context.Context, f func(context.Context) error) {
	c.reconciling.Lock()
	defer c.reconciling.Unlock()
	if err := f(ctx); err != nil && ctx.Err() == nil {
		c.delays.tell(fmt.Errorf("workers get no tasks: %w", err))
	}
}

// reconcile gives the server the current streams, settings, model and order. The caller holds reconciling.
func (c *Coordinator) reconcile(ctx context.Context) error {
	if !c.conn.IsConnected() {
		return nats.ErrDisconnected
	}
	_, err := c.js.Stream(ctx, tasksStream(c.cfg.Run))
	if err != nil && !errors.Is(err, jetstream.ErrStreamNotFound) {
		return err
	}
	if err != nil || !c.ready {
		if err := c.prepare(ctx); err != nil {
			return err
		}
	}
	j, o := c.job.Load(), order{Settings: c.digest, Ended: c.ended.Load(), Nonce: rand.Text()}
	if j != nil {
		o.Model = j.info
	}
	if c.published.order == nil || !c.published.order.same(o) || c.published.job != j {
		return c.announce(ctx, o, j)
	}
	return nil
}

// prepare creates the streams, without tasks and consumers, and publishes the settings. On an external server it removes
// the order of an earlier process, which may say that the run has ended.
func (c *Coordinator) prepare(ctx context.Context) error {
	c.ready, c.published = false, published{}
	run, memory := c.cfg.Run, jetstream.MemoryStorage
	bucket, err := c.js.CreateOrUpdateKeyValue(ctx, jetstream.KeyValueConfig{Bucket: runBucket(run), Storage: memory})
	if err != nil {
		return err
	}
	if err := bucket.Delete(ctx, "order"); err != nil {
		return err
	}
	if _, err := bucket.Put(ctx, "settings", c.settings); err != nil {
		return err
	}
	models := jetstream.StreamConfig{
		Name: modelsStream(run), Subjects: []string{"models." + run + ".*.*"}, Storage: memory, AllowDirect: true,
	}
	if _, err := c.js.CreateOrUpdateStream(ctx, models); err != nil {
		return err
	}
	if err := c.js.DeleteStream(ctx, tasksStream(run)); err != nil && !errors.Is(err, jetstream.ErrStreamNotFound) {
		return err
	}
	c.members.each(func(_ string, w *member) { w.consumer = false })
	_, err = c.js.CreateStream(ctx, jetstream.StreamConfig{
		Name: tasksStream(run), Subjects: []string{tasksSubject(run, "*")}, Storage: memory, Retention: jetstream.WorkQueuePolicy,
	})
	c.ready = err == nil
	return err
}

// announce publishes the model, then the order. Workers that know the order ask for games.
func (c *Coordinator) announce(ctx context.Context, o order, j *job) error {
	c.published.order = nil
	if j != nil {
		if err := c.publishModel(ctx, j); err != nil {
			return err
		}
	}
	if err := c.purge(ctx, tasksStream(c.cfg.Run)); err != nil {
		return err
	}
	c.members.each(func(_ string, w *member) { j.giveBack(w.held) })
	if _, err := c.js.Publish(ctx, entrySubject(c.cfg.Run, "order"), encode(o)); err != nil {
		return err
	}
	c.published.order, c.published.job = &o, j
	c.notifyWorkers(o.Nonce)
	return nil
}

func (c *Coordinator) purge(ctx context.Context, name string, options ...jetstream.StreamPurgeOpt) error {
	stream, err := c.js.Stream(ctx, name)
	if err != nil {
		return err
	}
	return stream.Purge(ctx, options...)
}

func (c *Coordinator) publishModel(ctx context.Context, j *job) error {
	if c.published.model == j.info {
		return nil
	}
	c.published.model = modelInfo{}
	if err := c.purge(ctx, modelsStream(c.cfg.Run)); err != nil {
		return err
	}
	for i, chunk := range chunksOf(j.file) {
		if _, err := c.js.Publish(ctx, modelSubject(c.cfg.Run, j.model, i), chunk); err != nil {
			return err
		}
	}
	c.published.model = j.info
	return nil
}

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

const (
	// callWait limits calls to a server. Failed calls are repeated.
	callWait = 10 * time.Second
	// republished limits the tasks published again at once.
	republished = 64
	// maxWaiting limits the requests that wait for tasks. A flooding worker is banned before it fills this queue.
	maxWaiting = 8 * maxExcess
)

// maintain keeps the server consistent with the current job until ctx ends.
func (c *Coordinator) maintain(ctx context.Context) {
	for ; ctx.Err() == nil; pause(ctx, time.Second) {
		c.reconcile(ctx)
		c.members.review()
		if c.cfg.Server == nil {
			continue
		}
		for _, worker := range c.cfg.Server.flooding(time.Now()) {
			c.ban(worker, Ban{Reason: "it floods the run with messages, or asks for more than it reads"})
		}
	}
}

// reconcile gives the server the current streams, settings, model, order and tasks. A later call retries failures.
func (c *Coordinator) reconcile(ctx context.Context) {
	c.reconciling.Lock()
	defer c.reconciling.Unlock()
	if err := c.tryReconcile(ctx); err != nil && ctx.Err() == nil {
		c.delays.tell(fmt.Errorf("workers get no tasks: %w", err))
	}
}

func (c *Coordinator) tryReconcile(ctx context.Context) error {
	if !c.conn.IsConnected() {
		return nats.ErrDisconnected
	}
	var info *jetstream.ConsumerInfo
	consumer, err := c.js.Consumer(ctx, tasksStream(c.cfg.Run), consumerName)
	switch {
	case err == nil:
		info = consumer.CachedInfo()
	case !errors.Is(err, jetstream.ErrStreamNotFound) && !errors.Is(err, jetstream.ErrConsumerNotFound):
		return err
	}
	if info == nil || !c.ready {
		if err := c.prepare(ctx); err != nil {
			return err
		}
	}
	j, o := c.job.Load(), order{Settings: c.digest, Nonce: rand.Text()}
	if j != nil {
		o.Model = j.info
	}
	if c.publishedOrder == nil || !c.publishedOrder.same(o) || c.publishedJob != j {
		return c.announce(ctx, o, j)
	}
	if j == nil || info == nil || info.NumPending > 0 || info.NumWaiting == 0 {
		return nil
	}
	// A worker waits although games are missing. Publish these again if no other worker has tasks, or if games stall.
	if info.NumAckPending == 0 || j.stalled(c.stallAfter) {
		return c.publish(ctx, j, republished)
	}
	return nil
}

// prepare creates the streams, removes old tasks and publishes the settings.
func (c *Coordinator) prepare(ctx context.Context) error {
	c.ready = false
	c.publishedModel = modelInfo{}
	c.publishedOrder = nil
	c.publishedJob = nil
	run, memory := c.cfg.Run, jetstream.MemoryStorage
	bucket, err := c.js.CreateOrUpdateKeyValue(ctx, jetstream.KeyValueConfig{Bucket: runBucket(run), Storage: memory})
	if err != nil {
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
	tasks, err := c.js.CreateOrUpdateStream(ctx, jetstream.StreamConfig{
		Name: tasksStream(run), Subjects: []string{tasksSubject(run)}, Storage: memory, Retention: jetstream.WorkQueuePolicy,
	})
	if err != nil {
		return err
	}
	if err := tasks.Purge(ctx); err != nil {
		return err
	}
	_, err = tasks.CreateOrUpdateConsumer(ctx, jetstream.ConsumerConfig{
		Durable: consumerName, AckPolicy: jetstream.AckExplicitPolicy, AckWait: ackWait, MaxDeliver: -1, MaxAckPending: -1,
		MaxWaiting: maxWaiting, MaxRequestBatch: 1, MaxRequestExpires: pullWait,
	})
	c.ready = err == nil
	return err
}

// announce publishes the model, then the order, then the tasks.
func (c *Coordinator) announce(ctx context.Context, o order, j *job) error {
	c.publishedOrder = nil
	if j != nil {
		if err := c.publishModel(ctx, j); err != nil {
			return err
		}
	}
	if err := c.purge(ctx, tasksStream(c.cfg.Run)); err != nil {
		return err
	}
	if _, err := c.js.Publish(ctx, entrySubject(c.cfg.Run, "order"), encode(o)); err != nil {
		return err
	}
	c.notifyWorkers(o.Nonce)
	if j != nil {
		if err := c.publish(ctx, j, len(j.numbers)); err != nil {
			return err
		}
	}
	c.publishedOrder, c.publishedJob = &o, j
	return nil
}

func (c *Coordinator) purge(ctx context.Context, name string) error {
	stream, err := c.js.Stream(ctx, name)
	if err != nil {
		return err
	}
	return stream.Purge(ctx)
}

// publish publishes up to limit tasks, the oldest missing games first.
func (c *Coordinator) publish(ctx context.Context, j *job, limit int) error {
	call, cancel := context.WithTimeout(ctx, callWait)
	defer cancel()
	tasks := tasksOf(j.model, j.forWorkers(), len(j.numbers))
	for _, t := range tasks[:min(len(tasks), limit)] {
		if _, err := c.js.PublishAsync(tasksSubject(c.cfg.Run), encode(t)); err != nil {
			return err
		}
	}
	select {
	case <-c.js.PublishAsyncComplete():
		j.tasksPublished()
		return nil
	case <-call.Done():
		return call.Err()
	}
}

func (c *Coordinator) publishModel(ctx context.Context, j *job) error {
	if c.publishedModel == j.info {
		return nil
	}
	c.publishedModel = modelInfo{}
	if err := c.purge(ctx, modelsStream(c.cfg.Run)); err != nil {
		return err
	}
	for i, chunk := range chunksOf(j.file) {
		if _, err := c.js.Publish(ctx, modelSubject(c.cfg.Run, j.model, i), chunk); err != nil {
			return err
		}
	}
	c.publishedModel = j.info
	return nil
}

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
func (p *Pool) maintain(ctx context.Context) {
	for ; ctx.Err() == nil; pause(ctx, time.Second) {
		p.reconcile(ctx)
		p.members.review()
		if p.cfg.Server == nil {
			continue
		}
		for _, worker := range p.cfg.Server.flooding(time.Now()) {
			p.ban(worker, Ban{Reason: "it floods the run with messages, or asks for more than it reads"})
		}
	}
}

// reconcile gives the server the current streams, settings, model, order and tasks. A later call retries failures.
func (p *Pool) reconcile(ctx context.Context) {
	p.reconciling.Lock()
	defer p.reconciling.Unlock()
	if err := p.tryReconcile(ctx); err != nil && ctx.Err() == nil {
		p.delays.tell(fmt.Errorf("workers get no tasks: %w", err))
	}
}

func (p *Pool) tryReconcile(ctx context.Context) error {
	if !p.conn.IsConnected() {
		return nats.ErrDisconnected
	}
	var info *jetstream.ConsumerInfo
	consumer, err := p.js.Consumer(ctx, tasksStream(p.cfg.Run), consumerName)
	switch {
	case err == nil:
		info = consumer.CachedInfo()
	case !errors.Is(err, jetstream.ErrStreamNotFound) && !errors.Is(err, jetstream.ErrConsumerNotFound):
		return err
	}
	if info == nil || !p.ready {
		if err := p.prepare(ctx); err != nil {
			return err
		}
	}
	j, o := p.job.Load(), order{Settings: p.digest, Nonce: rand.Text()}
	if j != nil {
		o.Model = j.info
	}
	if p.publishedOrder == nil || !p.publishedOrder.same(o) || p.publishedJob != j {
		return p.announce(ctx, o, j)
	}
	if j == nil || info == nil || info.NumPending > 0 || info.NumWaiting == 0 {
		return nil
	}
	// A worker waits although games are missing. Publish these again if no other worker has tasks, or if games stall.
	if info.NumAckPending == 0 || j.stalled(p.stallAfter) {
		return p.publish(ctx, j, republished)
	}
	return nil
}

// prepare creates the streams, removes old tasks and publishes the settings.
func (p *Pool) prepare(ctx context.Context) error {
	p.ready = false
	p.publishedModel = modelInfo{}
	p.publishedOrder = nil
	p.publishedJob = nil
	run, memory := p.cfg.Run, jetstream.MemoryStorage
	bucket, err := p.js.CreateOrUpdateKeyValue(ctx, jetstream.KeyValueConfig{Bucket: runBucket(run), Storage: memory})
	if err != nil {
		return err
	}
	if _, err := bucket.Put(ctx, "settings", p.settings); err != nil {
		return err
	}
	models := jetstream.StreamConfig{
		Name: modelsStream(run), Subjects: []string{"models." + run + ".*.*"}, Storage: memory, AllowDirect: true,
	}
	if _, err := p.js.CreateOrUpdateStream(ctx, models); err != nil {
		return err
	}
	tasks, err := p.js.CreateOrUpdateStream(ctx, jetstream.StreamConfig{
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
	p.ready = err == nil
	return err
}

// announce publishes the model, then the order, then the tasks.
func (p *Pool) announce(ctx context.Context, o order, j *job) error {
	p.publishedOrder = nil
	if j != nil {
		if err := p.publishModel(ctx, j); err != nil {
			return err
		}
	}
	if err := p.purge(ctx, tasksStream(p.cfg.Run)); err != nil {
		return err
	}
	if _, err := p.js.Publish(ctx, entrySubject(p.cfg.Run, "order"), encode(o)); err != nil {
		return err
	}
	p.notifyWorkers(o.Nonce)
	if j != nil {
		if err := p.publish(ctx, j, len(j.numbers)); err != nil {
			return err
		}
	}
	p.publishedOrder, p.publishedJob = &o, j
	return nil
}

func (p *Pool) purge(ctx context.Context, name string) error {
	stream, err := p.js.Stream(ctx, name)
	if err != nil {
		return err
	}
	return stream.Purge(ctx)
}

// publish publishes up to limit tasks, the oldest missing games first.
func (p *Pool) publish(ctx context.Context, j *job, limit int) error {
	call, cancel := context.WithTimeout(ctx, callWait)
	defer cancel()
	tasks := tasksOf(j.model, j.forWorkers(), len(j.numbers))
	for _, t := range tasks[:min(len(tasks), limit)] {
		if _, err := p.js.PublishAsync(tasksSubject(p.cfg.Run), encode(t)); err != nil {
			return err
		}
	}
	select {
	case <-p.js.PublishAsyncComplete():
		j.tasksPublished()
		return nil
	case <-call.Done():
		return call.Err()
	}
}

func (p *Pool) publishModel(ctx context.Context, j *job) error {
	if p.publishedModel == j.info {
		return nil
	}
	p.publishedModel = modelInfo{}
	if err := p.purge(ctx, modelsStream(p.cfg.Run)); err != nil {
		return err
	}
	for i, chunk := range chunksOf(j.file) {
		if _, err := p.js.Publish(ctx, modelSubject(p.cfg.Run, j.model, i), chunk); err != nil {
			return err
		}
	}
	p.publishedModel = j.info
	return nil
}

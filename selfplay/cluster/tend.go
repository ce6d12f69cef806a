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
	// mostWaiting limits the requests that wait for tasks. A flooding worker is banned before it fills this queue.
	mostWaiting = 8 * mostExcess
)

// tend keeps the server consistent with the current book until ctx ends.
func (p *Pool) tend(ctx context.Context) {
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
	p.tending.Lock()
	defer p.tending.Unlock()
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
		p.ready = false
		if err := p.prepare(ctx); err != nil {
			return err
		}
	}
	b, o := p.book.Load(), order{Settings: p.digest, Nonce: rand.Text()}
	if b != nil {
		o.Model = b.info
	}
	if p.announced == nil || !p.announced.same(o) || p.stocked != b {
		return p.announce(ctx, o, b)
	}
	if b == nil || info == nil || info.NumPending > 0 || info.NumWaiting == 0 {
		return nil
	}
	// A worker waits although games are missing. Publish these again if no other worker has tasks, or if games stall.
	if info.NumAckPending == 0 || b.stalled(p.patience) {
		return p.publish(ctx, b, republished)
	}
	return nil
}

// prepare creates the streams, removes old tasks and publishes the settings.
func (p *Pool) prepare(ctx context.Context) error {
	run, memory := p.cfg.Run, jetstream.MemoryStorage
	bucket, err := p.js.CreateOrUpdateKeyValue(ctx, jetstream.KeyValueConfig{Bucket: runBucket(run), Storage: memory})
	if err == nil {
		_, err = bucket.Put(ctx, "settings", p.settings)
	}
	var stream jetstream.Stream
	for _, cfg := range []jetstream.StreamConfig{
		{Name: modelsStream(run), Subjects: []string{"models." + run + ".*.*"}, Storage: memory, AllowDirect: true},
		{Name: tasksStream(run), Subjects: []string{tasksSubject(run)}, Storage: memory, Retention: jetstream.WorkQueuePolicy},
	} {
		if err == nil {
			stream, err = p.js.CreateOrUpdateStream(ctx, cfg)
		}
	}
	if err == nil {
		err = stream.Purge(ctx) // of tasks
	}
	if err == nil {
		_, err = stream.CreateOrUpdateConsumer(ctx, jetstream.ConsumerConfig{
			Durable: consumerName, AckPolicy: jetstream.AckExplicitPolicy, AckWait: ackWait, MaxDeliver: -1, MaxAckPending: -1,
			MaxWaiting: mostWaiting, MaxRequestBatch: 1, MaxRequestExpires: pullWait,
		})
	}
	p.ready, p.published, p.announced, p.stocked = err == nil, modelInfo{}, nil, nil
	return err
}

// announce publishes the model, then the order, then the tasks.
func (p *Pool) announce(ctx context.Context, o order, b *book) error {
	p.announced = nil
	if b != nil {
		if err := p.publishModel(ctx, b); err != nil {
			return err
		}
	}
	stream, err := p.js.Stream(ctx, tasksStream(p.cfg.Run))
	if err == nil {
		err = stream.Purge(ctx)
	}
	if err == nil {
		_, err = p.js.Publish(ctx, entrySubject(p.cfg.Run, "order"), encode(o))
	}
	if err == nil {
		p.spread(o.Nonce)
	}
	if err == nil && b != nil {
		err = p.publish(ctx, b, len(b.numbers))
	}
	if err == nil {
		p.announced, p.stocked = &o, b
	}
	return err
}

// publish publishes up to most tasks, the oldest missing games first.
func (p *Pool) publish(ctx context.Context, b *book, most int) error {
	call, cancel := context.WithTimeout(ctx, callWait)
	defer cancel()
	tasks := tasksOf(b.model, b.forWorkers(), len(b.numbers))
	for _, t := range tasks[:min(len(tasks), most)] {
		if _, err := p.js.PublishAsync(tasksSubject(p.cfg.Run), encode(t)); err != nil {
			return err
		}
	}
	select {
	case <-p.js.PublishAsyncComplete():
		b.tasksPublished()
		return nil
	case <-call.Done():
		return call.Err()
	}
}

func (p *Pool) publishModel(ctx context.Context, b *book) error {
	if p.published == b.info {
		return nil
	}
	p.published = modelInfo{}
	stream, err := p.js.Stream(ctx, modelsStream(p.cfg.Run))
	if err == nil {
		err = stream.Purge(ctx)
	}
	for i, chunk := range chunksOf(b.file) {
		if err == nil {
			_, err = p.js.Publish(ctx, modelSubject(p.cfg.Run, b.model, i), chunk)
		}
	}
	if err == nil {
		p.published = b.info
	}
	return err
}

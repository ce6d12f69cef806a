package natslog

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"tengen/replay"
)

const (
	// batchSize is the number of messages asked for at once.
	batchSize = 512
	// followWait is for how long the server holds a request for messages that have not come yet, giving a sign of life
	// after every heartbeat.
	followWait = 10 * time.Second
	heartbeat  = time.Second
	// consumerLife is for how long the server keeps what it knows about a reader that has gone.
	consumerLife = time.Minute
)

// Read implements replay.Log.
func (l *Log) Read(ctx context.Context, after uint64, yield func(replay.Entry) error) error {
	r := l.reader(after, yield)
	defer r.release()
	last, err := l.Last(ctx)
	if err != nil {
		return err
	}
	return r.upTo(ctx, last)
}

// Follow implements replay.Log. A server that goes away and comes back is waited for, and if it comes back without the end of the
// log, that is put right.
func (l *Log) Follow(ctx context.Context, after uint64, yield func(replay.Entry) error) error {
	r := l.reader(after, yield)
	defer r.release()
	for {
		last, err := l.mendEnd(ctx)
		if err != nil {
			return err
		}
		if err := r.upTo(ctx, last); err != nil {
			return err
		}
		if _, err := r.batch(ctx, followWait); err != nil {
			return err
		}
	}
}

// reader delivers the entries of a log in order, every sequence number once.
type reader struct {
	log      *Log
	next     uint64 // the sequence number to come
	after    uint64 // entries up to here are only for the index
	yield    func(replay.Entry) error
	consumer jetstream.Consumer // stands at next; nil if there is none
}

func (l *Log) reader(after uint64, yield func(replay.Entry) error) *reader {
	return &reader{log: l, next: min(after+1, l.index.next()), after: after, yield: yield}
}

// upTo delivers everything up to last. What the server does not deliver by itself is asked for by number, so that only
// that counts as lost which the server says it does not have.
func (r *reader) upTo(ctx context.Context, last uint64) error {
	for r.next <= last {
		delivered, err := r.batch(ctx, 0)
		if err == nil && delivered == 0 {
			err = r.leap(ctx, last)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// batch delivers messages for as long as they come in order, waiting for them for as long as wait if that is not 0. It
// returns how many there were.
func (r *reader) batch(ctx context.Context, wait time.Duration) (delivered int, err error) {
	ctx, free := r.log.bind(ctx)
	defer free()
	var messages jetstream.MessageBatch
	stop := func() {}
	defer func() { stop() }()
	err = r.log.call(ctx, func(calling context.Context) (err error) {
		if err := r.consume(calling); err != nil {
			return err
		}
		if wait == 0 {
			messages, err = r.consumer.FetchNoWait(batchSize)
			return err
		}
		stop()
		fetching, cancel := context.WithTimeout(ctx, wait)
		stop = cancel
		messages, err = r.consumer.Fetch(batchSize, jetstream.FetchContext(fetching), jetstream.FetchHeartbeat(heartbeat))
		return err
	})
	if err != nil {
		return 0, err
	}
	for {
		select {
		case <-ctx.Done():
			r.release()
			return delivered, context.Cause(ctx)
		case message, more := <-messages.Messages():
			if !more {
				if messages.Error() != nil {
					r.release() // the server has gone, or has forgotten the consumer
				}
				return delivered, nil
			}
			meta, err := message.Metadata()
			if err != nil || meta.Sequence.Stream != r.next {
				r.release()
				return delivered, err
			}
			if err := r.deliver(message.Subject(), message.Data()); err != nil {
				return delivered, err
			}
			delivered++
		}
	}
}

// consume makes sure that there is a consumer.
func (r *reader) consume(ctx context.Context) (err error) {
	if r.consumer != nil {
		return nil
	}
	r.consumer, err = r.log.games.CreateConsumer(ctx, jetstream.ConsumerConfig{
		DeliverPolicy:     jetstream.DeliverByStartSequencePolicy,
		OptStartSeq:       r.next,
		AckPolicy:         jetstream.AckNonePolicy,
		MemoryStorage:     true,
		Replicas:          1,
		InactiveThreshold: consumerLife,
	})
	return err
}

// leap delivers the next entry that the server has and, as missing, those before it; at most up to last.
func (r *reader) leap(ctx context.Context, last uint64) error {
	var found *jetstream.RawStreamMsg
	var should span
	err := r.log.call(ctx, func(ctx context.Context) (err error) {
		found, err = r.log.games.GetMsg(ctx, r.next, jetstream.WithGetMsgSubject(">"))
		if errors.Is(err, jetstream.ErrMsgNotFound) { // also the server's answer if it cannot read one of those behind
			found, err = r.log.games.GetMsg(ctx, r.next)
		}
		if err != nil && !errors.Is(err, jetstream.ErrMsgNotFound) {
			return err
		}
		should, err = r.log.watermark.read(ctx) // after the message, because Retain notes what it drops before it does so
		return err
	})
	if err != nil {
		return err
	}
	r.release()
	if r.next < should.first {
		r.next = should.first
		r.log.index.trim(r.next)
	}
	end := r.next + 1
	if found != nil {
		end = min(found.Sequence, last+1)
	}
	for r.next < end && r.next <= last {
		lost := fmt.Errorf("%w: the server does not have it", replay.ErrMissing)
		if err := r.pass(replay.Entry{Err: lost}); err != nil {
			return err
		}
	}
	if found != nil && found.Sequence == r.next {
		return r.deliver(found.Subject, found.Data)
	}
	return nil
}

// deliver decodes the next message and passes it on, unless a later version of the run's own program has written it. What a worker
// sends stops nobody.
func (r *reader) deliver(subject string, data []byte) error {
	worker, game, err := decodeFrom(subject, data)
	if errors.Is(err, replay.ErrVersion) && subject == r.log.subject {
		return fmt.Errorf("sequence number %d: %w", r.next, err)
	}
	return r.pass(replay.Entry{Worker: worker, Game: game, Err: err})
}

// pass gives the next entry its sequence number and hands it over.
func (r *reader) pass(e replay.Entry) error {
	e.Sequence = r.next
	if e.Err != nil {
		e.Err = fmt.Errorf("sequence number %d: %w", r.next, e.Err)
	}
	e = r.log.index.add(e)
	r.log.watermark.note(e.Sequence)
	r.next++
	if e.Sequence <= r.after {
		return nil
	}
	return r.yield(e)
}

// release lets go of the consumer.
func (r *reader) release() {
	if r.consumer == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	// If this fails, the server forgets the consumer after consumerLife.
	r.log.games.DeleteConsumer(ctx, r.consumer.CachedInfo().Name)
	r.consumer = nil
}

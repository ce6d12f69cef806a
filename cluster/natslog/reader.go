package natslog

import (
	"context"
	"errors"
	"fmt"
	"sync"
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

// Follow implements replay.Log. A server that goes away and comes back is waited for.
func (l *Log) Follow(ctx context.Context, after uint64, yield func(replay.Entry) error) error {
	r := l.reader(after, yield)
	defer r.release()
	for {
		last, err := l.Last(ctx)
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
			if err := r.deliver(message.Data()); err != nil {
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
	r.consumer, err = r.log.stream.CreateConsumer(ctx, jetstream.ConsumerConfig{
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
		found, err = r.log.stream.GetMsg(ctx, r.next, jetstream.WithGetMsgSubject(r.log.subject))
		if errors.Is(err, jetstream.ErrMsgNotFound) { // also the server's answer if it cannot read one of those behind
			found, err = r.log.stream.GetMsg(ctx, r.next)
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
		return r.deliver(found.Data)
	}
	return nil
}

// deliver decodes the next message and passes it on, unless a later version of the program has written it.
func (r *reader) deliver(data []byte) error {
	worker, game, err := Decode(data)
	if errors.Is(err, replay.ErrVersion) {
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
	r.log.stream.DeleteConsumer(ctx, r.consumer.CachedInfo().Name)
	r.consumer = nil
}

// index remembers what a Log has read: the positions of each entry, and under which sequence number each game first came.
//
//	Invariant: it knows the sequence numbers first to next()-1, all of them.
type index struct {
	mu        sync.Mutex
	first     uint64 // sequence number of positions[0]
	positions []int
	seen      map[gameID]uint64
}

// gameID tells games apart: two with the same one are the same game sent twice.
type gameID struct {
	worker       string
	seed, number uint64
}

// next is the first sequence number that the index does not know.
func (x *index) next() uint64 {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.first + uint64(len(x.positions))
}

// add returns the entry, with replay.ErrDuplicate in the place of its game if that has a lower sequence number as well. It
// takes in the entry if that is the next one.
func (x *index) add(e replay.Entry) replay.Entry {
	x.mu.Lock()
	defer x.mu.Unlock()
	if e.Game != nil {
		id := gameID{e.Worker, e.Game.Seed, e.Game.Number}
		if earlier, known := x.seen[id]; known && earlier < e.Sequence {
			e.Err = fmt.Errorf("sequence number %d: game %d of worker %q: %w, as %d",
				e.Sequence, id.number, id.worker, replay.ErrDuplicate, earlier)
			e.Game = nil
		} else {
			x.seen[id] = e.Sequence
		}
	}
	if e.Sequence == x.first+uint64(len(x.positions)) {
		positions := 0
		if e.Game != nil {
			positions = e.Game.Positions()
		}
		x.positions = append(x.positions, positions)
	}
	return e
}

// trim forgets everything before first.
func (x *index) trim(first uint64) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if first <= x.first {
		return
	}
	x.positions = x.positions[min(first-x.first, uint64(len(x.positions))):]
	x.first = first
	for id, sequence := range x.seen {
		if sequence < first {
			delete(x.seen, id)
		}
	}
}

// cut returns the sequence number of the first entry to keep so that those kept which count have at least this many
// positions, and whether there are others before it.
func (x *index) cut(positions int, counts func(sequence uint64) bool) (first uint64, old bool) {
	x.mu.Lock()
	defer x.mu.Unlock()
	size := func(i int) int {
		if !counts(x.first + uint64(i)) {
			return 0
		}
		return x.positions[i]
	}
	total := 0
	for i := range x.positions {
		total += size(i)
	}
	first = x.first
	for i := range x.positions {
		if total-size(i) < positions {
			break
		}
		total -= size(i)
		first++
	}
	return first, first > x.first
}

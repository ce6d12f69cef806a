package natslog

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"tengen/replay"
)

// publisher puts games into a log. Games that come while others are on their way wait, and then go together: as one batch, which
// the server writes and syncs as a whole, or does not write at all. So the slower the disk or the network, the larger the batches, and
// a game that comes alone waits for nobody. A server that does not take a batch gets its games one by one.
//
// A publisher may be used by several goroutines at once.
type publisher struct {
	js      jetstream.JetStream
	stream  string // that the subject has to belong to
	subject string
	salt    string // of the names of messages
	batches bool   // the server takes them
	caller

	ack ackWait // belongs to the goroutine that sends

	mu      sync.Mutex
	queue   []*parcel // wait to be sent
	sending bool      // a goroutine is at it
	senders sync.WaitGroup
}

// A parcel is a game on its way.
type parcel struct {
	ctx  context.Context // of the call that waits for it
	id   string          // by which the server recognises it when it is sent again
	data []byte

	delivered chan struct{} // closed when one of these is known
	sequence  uint64
	err       error
}

// Bounds of what is sent at once. On a link of 1 Mbit/s the bytes take a second.
const (
	batchGames = 256
	batchBytes = 128 << 10
)

func newPublisher(conn *nats.Conn, js jetstream.JetStream, run, subject string, c caller) *publisher {
	c.conn = conn
	return &publisher{js: js, stream: streamName(run), subject: subject, caller: c, ack: ackWait{ackWaitMin}}
}

// append adds a game, and tries again for as long as that may succeed.
func (p *publisher) append(ctx context.Context, worker string, g *replay.Record) (sequence uint64, err error) {
	data, err := Encode(worker, g)
	if err != nil {
		return 0, err
	}
	q := &parcel{ctx: ctx, id: messageID(p.salt, data), data: data, delivered: make(chan struct{})}
	if err = p.enqueue(q); err == nil {
		select {
		case <-q.delivered:
			sequence, err = q.sequence, q.err
		case <-ctx.Done():
			err = context.Cause(ctx)
		case <-p.closed.Done():
			err = replay.ErrClosed
		}
	}
	if err != nil {
		return 0, fmt.Errorf("game %d of worker %q is not in the log: %w", g.Number, worker, err)
	}
	return sequence, nil
}

// messageID names a message by its content and a salt. A worker's is secret: others could play its next game before it, as that
// follows from what they know, and take the game's name on the server.
func messageID(salt string, data []byte) string {
	sum := sha256.Sum256(append([]byte(salt), data...))
	return base64.RawURLEncoding.EncodeToString(sum[:16])
}

func (p *publisher) enqueue(q *parcel) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case p.closed.Err() != nil:
		return replay.ErrClosed
	case q.ctx.Err() != nil:
		return context.Cause(q.ctx)
	}
	p.queue = append(p.queue, q)
	if !p.sending {
		p.sending = true
		p.senders.Go(p.send)
	}
	return nil
}

// close ends what is under way, and reports whether the publisher was open.
func (p *publisher) close() bool {
	p.mu.Lock()
	open := p.end()
	p.mu.Unlock()
	p.senders.Wait()
	return open
}

// send delivers what is in the queue until it is empty.
func (p *publisher) send() {
	for batch := p.take(); len(batch) > 0; batch = p.take() {
		err := p.call(context.Background(), func(ctx context.Context) error { return p.attempt(ctx, undelivered(batch)) })
		for _, q := range undelivered(batch) {
			q.settle(0, err)
		}
	}
}

// take takes what is sent next out of the queue. If there is nothing, the goroutine is not sending any more.
func (p *publisher) take() (batch []*parcel) {
	p.mu.Lock()
	defer p.mu.Unlock()
	n, size := 0, 0
	for ; n < len(p.queue) && len(batch) < batchGames; n++ {
		q := p.queue[n]
		if q.ctx.Err() != nil {
			continue // nobody waits for it any more
		}
		if size += len(q.data); size > batchBytes && len(batch) > 0 {
			break
		}
		batch = append(batch, q)
	}
	if p.queue = p.queue[n:]; len(p.queue) == 0 {
		p.queue = nil
	}
	p.sending = len(batch) > 0
	return batch
}

func (q *parcel) settle(sequence uint64, err error) {
	q.sequence, q.err = sequence, err
	close(q.delivered)
}

// undelivered are those of a batch that are still under way.
func undelivered(batch []*parcel) (rest []*parcel) {
	for _, q := range batch {
		select {
		case <-q.delivered:
		default:
			rest = append(rest, q)
		}
	}
	return rest
}

// attempt sends once, and waits for the answers for as long as they may take. What is acknowledged, or refused for good, is
// delivered then. The error is one that may pass.
func (p *publisher) attempt(ctx context.Context, batch []*parcel) error {
	ctx, free := p.whileConnected(ctx)
	defer free()
	ctx, cancel := context.WithTimeout(ctx, p.ack.wait)
	defer cancel()
	begin := time.Now()
	err := p.attemptAll(ctx, batch)
	switch {
	case err == nil:
		p.ack.answered(time.Since(begin))
	case errors.Is(context.Cause(ctx), context.DeadlineExceeded):
		p.ack.missed()
		err = cmp.Or(p.forbidden(), err)
	case ctx.Err() != nil:
		err = context.Cause(ctx)
	}
	return err
}

func (p *publisher) attemptAll(ctx context.Context, batch []*parcel) error {
	if p.batches && len(batch) > 1 {
		if err := p.together(ctx, batch); err == nil || ctx.Err() != nil || passing(err) {
			return err
		}
	}
	return p.oneByOne(ctx, batch) // so that each has an answer of its own
}

// Headers of messages of a batch; nats.go has no names for them.
const (
	batchIDHeader       = "Nats-Batch-Id"
	batchSequenceHeader = "Nats-Batch-Sequence"
	batchCommitHeader   = "Nats-Batch-Commit"
)

// errNoBatch is the error of a server that has answered, but not as to a batch.
var errNoBatch = errors.New("the server does not take batches")

// together sends parcels as a batch. If one of them was sent before, the server refuses all.
func (p *publisher) together(ctx context.Context, batch []*parcel) error {
	id := rand.Text()[:12]
	message := func(i int) *nats.Msg {
		return &nats.Msg{Subject: p.subject, Data: batch[i].data, Header: nats.Header{
			jetstream.MsgIDHeader: {batch[i].id}, batchIDHeader: {id}, batchSequenceHeader: {strconv.Itoa(i + 1)},
		}}
	}
	last := len(batch) - 1
	for i := range last {
		if err := p.conn.PublishMsg(message(i)); err != nil {
			return err
		}
	}
	commit := message(last)
	commit.Header[batchCommitHeader] = []string{"1"}
	reply, err := p.conn.RequestMsgWithContext(ctx, commit)
	if err != nil {
		return err
	}
	var answer struct {
		Error    *jetstream.APIError `json:"error"`
		Sequence uint64              `json:"seq"`
		Count    int                 `json:"count"`
	}
	switch err := json.Unmarshal(reply.Data, &answer); {
	case err != nil:
		return err
	case answer.Error != nil:
		return answer.Error
	case answer.Count != len(batch) || answer.Sequence < uint64(len(batch)):
		return errNoBatch
	}
	for i, q := range batch {
		q.settle(answer.Sequence-uint64(last-i), nil)
	}
	return nil
}

// oneByOne sends parcels each for itself, all at once.
func (p *publisher) oneByOne(ctx context.Context, batch []*parcel) error {
	var sending sync.WaitGroup
	errs := make([]error, len(batch))
	for i, q := range batch {
		sending.Go(func() {
			sequence, err := p.one(ctx, q)
			if err != nil && (ctx.Err() != nil || p.passes(err)) {
				errs[i] = err
				return
			}
			q.settle(sequence, explain(err))
		})
	}
	sending.Wait()
	return cmp.Or(errs...)
}

func (p *publisher) one(ctx context.Context, q *parcel) (sequence uint64, err error) {
	// The header is made anew for each attempt.
	message := &nats.Msg{Subject: p.subject, Data: q.data, Header: nats.Header{jetstream.MsgIDHeader: {q.id}}}
	ack, err := p.js.PublishMsg(ctx, message)
	switch {
	case err != nil:
		return 0, err
	case ack.Stream != p.stream:
		return 0, fmt.Errorf("the subject %s belongs to the stream %s, not to %s: %w", p.subject, ack.Stream, p.stream, errElsewhere)
	}
	return ack.Sequence, nil
}

var errElsewhere = errors.New("remove that stream, or choose another name for the run")

// forbidden is the error of a server that does not let this connection write to the subject, which it says apart from any
// request.
func (p *publisher) forbidden() error {
	err := p.conn.LastError()
	if errors.Is(err, nats.ErrPermissionViolation) && strings.Contains(err.Error(), strconv.Quote(p.subject)) {
		return fmt.Errorf("%w: use what the run has given this worker to prove who it is", err)
	}
	return nil
}

// ackWait is for how long a publisher waits before it sends again what was not acknowledged. Sending twice does no harm, but on a
// slow link it would do no good either.
type ackWait struct{ wait time.Duration }

const (
	ackWaitMin = 5 * time.Second
	ackWaitMax = time.Minute
)

// missed waits twice as long the next time.
func (a *ackWait) missed() { a.wait = min(2*a.wait, ackWaitMax) }

// answered follows how long the server takes.
func (a *ackWait) answered(took time.Duration) { a.wait = min(max(4*took, ackWaitMin), ackWaitMax) }

package natslog

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"time"

	"github.com/nats-io/nats.go"

	"tengen/internal/frame"
)

// Partial is what has arrived of a model, a bytes.Buffer for instance. Bytes are only ever added.
type Partial interface {
	Len() int
	Write([]byte) (int, error)
}

// ErrModelGone is wrapped by the error of Fetch for a model that the server does not have: it was replaced by newer ones, or a part
// of it is lost, until it is published again.
var ErrModelGone = errors.New("the server does not have it (any more)")

const (
	// firstWindow and maxWindow are how many chunks are asked for before the first of them has come.
	firstWindow, maxWindow = 2, 64
	// A chunk that takes longer than the quickest one so far has waited behind others. Up to shortQueue more are asked for, from
	// longQueue on fewer: the line is full, and games and pings have to pass it, too.
	shortQueue, longQueue = 250 * time.Millisecond, 500 * time.Millisecond
	// minStall is how long nothing may come before a chunk is asked for again, unless chunks have taken longer than a quarter of it.
	minStall = 30 * time.Second
	// tick is how often a connection that says nothing is looked at.
	tick = time.Second
	// maxPause bounds the pause after a failed attempt.
	maxPause = 30 * time.Second
)

// Fetch adds to into what it does not yet have of a model, in order. It goes on through lost connections for as long as ctx
// lasts, never asks again for what has arrived, and tells report why it had to begin anew. Each chunk has been checked; the whole
// is the caller's to check, by its digest. The error wraps ErrModelGone where going on is of no use.
func (m *Models) Fetch(ctx context.Context, d Model, into Partial, report func(error)) error {
	ctx, free := m.bind(ctx)
	defer free()
	err := d.checkSize()
	if err == nil {
		err = m.fetch(ctx, d, into, report)
	}
	if err != nil {
		return fmt.Errorf("cannot fetch model %s: %w", d.Name, err)
	}
	return nil
}

func (m *Models) fetch(ctx context.Context, d Model, into Partial, report func(error)) error {
	inbox := m.conn.NewInbox()
	sub, err := m.conn.SubscribeSync(inbox + ".*")
	if err != nil {
		return err
	}
	defer sub.Unsubscribe()
	f := &fetch{m: m, d: d, into: into, inbox: inbox, sub: sub, window: firstWindow,
		came: map[int][]byte{}, asked: map[int]request{}}
	for failures := 0; ; failures++ {
		before := into.Len()
		err := f.attempt(ctx)
		switch {
		case err == nil:
			return nil
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case errors.Is(err, ErrModelGone), errors.Is(err, nats.ErrConnectionClosed), errors.Is(err, errPartial):
			return err
		case into.Len() > before:
			failures = 0
		}
		report(fmt.Errorf("model %s: %d of %d bytes have arrived, then %w: going on there", d.Name, into.Len(), d.Size, err))
		select {
		case <-ctx.Done():
		case <-time.After(Pause(failures)):
		}
	}
}

// Pause is how long to wait after a number of failures before: exponential back-off with full jitter, so that a thousand workers which
// fail together do not come back together.
func Pause(failures int) time.Duration {
	return rand.N(min(maxPause, 500*time.Millisecond<<min(failures, 10)))
}

// fetch is a Fetch under way.
type fetch struct {
	m     *Models
	d     Model
	into  Partial
	inbox string // replies come to inbox.CHUNK
	sub   *nats.Subscription

	came       map[int][]byte  // chunks that wait for those before them
	asked      map[int]request // chunks on their way
	reconnects uint64          // of the connection, so far
	window     int             // how many chunks to ask for beyond those that are there
	quickest   time.Duration   // of the chunks so far; 0: none has come
	slowest    time.Duration
	stalls     int // how often nothing came for too long, since something came
}

// request is that of a chunk.
type request struct {
	at    time.Time
	again bool // the answer to an earlier one may still come
}

// errPartial is that of a Partial that cannot be written.
var errPartial = errors.New("what arrives cannot be kept")

// attempt asks for chunks and takes them until all are there or something goes wrong.
func (f *fetch) attempt(ctx context.Context) error {
	if f.reconnected() {
		clear(f.asked)
	}
	last := time.Now()
	unheard := false // requests have reached nobody
	for f.into.Len() < f.d.Size {
		if !unheard {
			if err := f.askWindow(); err != nil {
				return err
			}
		}
		waiting, cancel := context.WithTimeout(ctx, tick)
		msg, err := f.sub.NextMsgWithContext(waiting)
		cancel()
		switch {
		case err == nil:
			last, f.stalls = time.Now(), 0
			if err := f.take(msg); err != nil {
				return err
			}
		case errors.Is(err, nats.ErrNoResponders):
			unheard = true // what comes of the others that are under way is waited for: they may be many
		case ctx.Err() != nil || !errors.Is(err, context.DeadlineExceeded):
			return err
		case f.reconnected():
			clear(f.asked)
			return errors.New("the connection was lost")
		case unheard:
			clear(f.asked)
			f.window = firstWindow
			return nats.ErrNoResponders
		case time.Since(last) > f.patience():
			return f.stall(time.Since(last))
		}
	}
	return nil
}

// reconnected reports whether the connection is another since the last call. The server forgets what the old one has asked for.
func (f *fetch) reconnected() bool {
	before := f.reconnects
	f.reconnects = f.m.conn.Stats().Reconnects
	return f.reconnects != before
}

// patience is how long nothing may come.
func (f *fetch) patience() time.Duration {
	return max(f.m.stall, 4*f.slowest) << min(f.stalls, 5)
}

// stall asks for the first missing chunk alone, when nothing came.
func (f *fetch) stall(quiet time.Duration) error {
	f.stalls++
	f.window = 1
	clear(f.asked)
	if err := f.ask(f.first(), true); err != nil {
		return err
	}
	return fmt.Errorf("nothing came for %v", quiet.Round(time.Second))
}

// first is the first chunk that is missing.
func (f *fetch) first() int { return f.into.Len() / chunkSize }

// askWindow asks for the chunks of the window.
func (f *fetch) askWindow() error {
	for i := f.first(); i < min(f.first()+f.window, f.d.chunks()); i++ {
		if _, ok := f.asked[i]; ok || f.came[i] != nil {
			continue
		}
		if err := f.ask(i, false); err != nil {
			return err
		}
	}
	return nil
}

// ask asks for a chunk, by a direct request for the last message of its subject.
func (f *fetch) ask(i int, again bool) error {
	chunk := strconv.Itoa(i)
	subject := "$JS.API.DIRECT.GET." + modelStream(f.m.run) + "." + f.m.subject(f.d.Name, chunk)
	if err := f.m.conn.PublishRequest(subject, f.inbox+"."+chunk, nil); err != nil {
		return err
	}
	f.asked[i] = request{time.Now(), again}
	return nil
}

// take keeps a chunk that has come, perhaps for the second time, and adds to what is there.
func (f *fetch) take(msg *nats.Msg) error {
	i, err := strconv.Atoi(strings.TrimPrefix(msg.Subject, f.inbox+"."))
	if err != nil {
		return fmt.Errorf("an answer came to %s", msg.Subject)
	}
	request := f.asked[i]
	delete(f.asked, i)
	chunk, err := f.open(i, msg)
	if err != nil {
		return err
	}
	if !request.at.IsZero() {
		f.measure(time.Since(request.at), request.again)
	}
	if i >= f.first() {
		f.came[i] = chunk
	}
	for f.came[f.first()] != nil {
		i := f.first()
		from, _ := f.d.span(i)
		if _, err := f.into.Write(f.came[i][f.into.Len()-from:]); err != nil {
			return fmt.Errorf("%w: %w", errPartial, err)
		}
		delete(f.came, i)
	}
	return nil
}

// open returns the chunk of an answer.
func (f *fetch) open(i int, msg *nats.Msg) ([]byte, error) {
	switch status := msg.Header.Get("Status"); status {
	case "":
	case "404":
		return nil, ErrModelGone
	default:
		return nil, fmt.Errorf("the server answered %s %s", status, msg.Header.Get("Description"))
	}
	chunk, err := frame.Open(msg.Data)
	if err != nil {
		return nil, fmt.Errorf("chunk %d is damaged: %w", i, err)
	}
	if from, to := f.d.span(i); i >= f.d.chunks() || len(chunk) != to-from {
		return nil, fmt.Errorf("chunk %d has %d bytes", i, len(chunk))
	}
	return chunk, nil
}

// measure fits the window to what a chunk took.
func (f *fetch) measure(took time.Duration, again bool) {
	f.slowest = max(f.slowest, took)
	if again {
		return // it may have been the answer to the earlier request
	}
	if f.quickest == 0 || took < f.quickest {
		f.quickest = took
	}
	switch queue := took - f.quickest; {
	case queue < shortQueue:
		f.window = min(f.window+1, maxWindow)
	case queue > longQueue:
		f.window = max(f.window-1, 1)
	}
}

package natslog

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"tengen/internal/frame"
)

// watermark remembers, apart from the games, which sequence numbers the log should hold: those from first to last. What is
// not there has been lost. All logs of the run share one entry of a key-value bucket, in which neither number ever falls.
//
// It follows behind the games, because it is there to find losses, not to prevent them: many games cost one write.
type watermark struct {
	bucket jetstream.KeyValue

	wanted atomic.Uint64 // the highest sequence number that is known to be in the log
	behind chan struct{} // receives after wanted has risen

	mu    sync.Mutex // held while writing
	known span       // what the entry holds at least
	at    uint64     // its revision
}

func newWatermark(bucket jetstream.KeyValue) *watermark {
	return &watermark{bucket: bucket, behind: make(chan struct{}, 1)}
}

// span is the sequence numbers from first to last; there are none if last is first-1. The zero span is unknown.
type span struct{ first, last uint64 }

const watermarkKey = "games"

// note takes down that the log holds sequence, for the next catchUp.
func (w *watermark) note(sequence uint64) {
	for {
		old := w.wanted.Load()
		if old >= sequence {
			return
		}
		if w.wanted.CompareAndSwap(old, sequence) {
			break
		}
	}
	select {
	case w.behind <- struct{}{}:
	default:
	}
}

// catchUp returns when the entry says that the log holds all that was noted before.
func (w *watermark) catchUp(ctx context.Context) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.known.last >= w.wanted.Load() {
		return nil
	}
	return w.raise(ctx, span{last: w.wanted.Load()})
}

// drop notes that games before first are not wanted any more.
func (w *watermark) drop(ctx context.Context, first uint64) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.raise(ctx, span{first: first, last: max(first-1, w.wanted.Load())})
}

// raise lifts both numbers to those of to, if they are lower. The caller holds the lock.
func (w *watermark) raise(ctx context.Context, to span) error {
	for wait := conflictWait; ; wait = min(2*wait, retryMax) {
		if w.at != 0 && w.known.first >= to.first && w.known.last >= to.last {
			return nil
		}
		next := span{max(w.known.first, to.first, 1), max(w.known.last, to.last)}
		revision, err := w.bucket.Update(ctx, watermarkKey, next.encode(), w.at)
		if err == nil {
			w.known, w.at = next, revision
			return nil
		}
		newest, conflict := conflictOf(err)
		if !conflict {
			return err
		}
		if _, err := w.load(ctx); err != nil { // somebody else has written: build on that
			return err
		}
		if w.at < newest {
			w.at = newest // the server holds an entry that it cannot read: the next one takes its place
			continue
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(rand.N(wait)):
		}
	}
}

// conflictWait bounds the pause after the first conflict with another writer.
const conflictWait = 10 * time.Millisecond

// isConflict reports whether an entry was not written because it has another revision.
func isConflict(err error) bool {
	_, conflict := conflictOf(err)
	return conflict
}

// conflictOf is isConflict with that revision, 0 if the server does not tell.
func conflictOf(err error) (revision uint64, conflict bool) {
	var api *jetstream.APIError
	if !errors.As(err, &api) {
		return 0, false
	}
	switch api.ErrorCode {
	case jetstream.JSErrCodeStreamWrongLastSequence:
		fmt.Sscanf(api.Description, "wrong last sequence: %d", &revision)
		return revision, true
	case jetstream.JSErrCodeStreamWrongLastSequenceConstant:
		return 0, true
	}
	return 0, false
}

// read returns what the entry holds at least, the zero span if there is none.
func (w *watermark) read(ctx context.Context) (span, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.load(ctx)
}

func (w *watermark) load(ctx context.Context) (span, error) {
	entry, err := w.bucket.Get(ctx, watermarkKey)
	if errors.Is(err, jetstream.ErrKeyNotFound) {
		w.at = 0
		return w.known, nil
	}
	if err != nil {
		return span{}, err
	}
	now, _ := decodeSpan(entry.Value()) // a damaged one is as if it were absent
	w.known = span{max(w.known.first, now.first), max(w.known.last, now.last)}
	w.at = entry.Revision()
	return w.known, nil
}

func (s span) encode() []byte {
	b := fmt.Appendf(nil, "%d %d ", s.first, s.last)
	return fmt.Appendf(b, "%08x", frame.Sum(b))
}

func decodeSpan(b []byte) (s span, ok bool) {
	if _, err := fmt.Sscanf(string(b), "%d %d", &s.first, &s.last); err != nil || string(s.encode()) != string(b) {
		return span{}, false
	}
	return s, true
}

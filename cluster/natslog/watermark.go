package natslog

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/nats-io/nats.go/jetstream"

	"tengen/internal/frame"
)

// watermark remembers, apart from the games, which sequence numbers the log should hold: those from first to last. What is
// not there has been lost. All logs of the run share one entry of a key-value bucket, in which neither number ever falls.
type watermark struct {
	bucket jetstream.KeyValue

	wanted atomic.Uint64 // the highest sequence number that cover was called with
	mu     sync.Mutex    // held while writing: those who wait for it find their number covered by the next write
	known  span          // what the entry holds at least
	at     uint64        // its revision
}

// span is the sequence numbers from first to last; there are none if last is first-1. The zero span is unknown.
type span struct{ first, last uint64 }

const watermarkKey = "games"

// cover returns when the entry says that the log holds sequence. Calls at the same time share writes.
func (w *watermark) cover(ctx context.Context, sequence uint64) error {
	for {
		if old := w.wanted.Load(); old >= sequence || w.wanted.CompareAndSwap(old, sequence) {
			break
		}
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.known.last >= sequence {
		return nil
	}
	return w.raise(ctx, span{last: w.wanted.Load()})
}

// drop notes that games before first are not wanted any more.
func (w *watermark) drop(ctx context.Context, first uint64) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.raise(ctx, span{first: first, last: first - 1})
}

// raise lifts both numbers to those of to, if they are lower. The caller holds the lock.
func (w *watermark) raise(ctx context.Context, to span) error {
	const attempts = 50
	for range attempts {
		if w.at != 0 && w.known.first >= to.first && w.known.last >= to.last {
			return nil
		}
		next := span{max(w.known.first, to.first, 1), max(w.known.last, to.last)}
		revision, err := w.bucket.Update(ctx, watermarkKey, next.encode(), w.at)
		if err == nil {
			w.known, w.at = next, revision
			return nil
		}
		if !isConflict(err) {
			return err
		}
		if _, err := w.load(ctx); err != nil { // somebody else has written: build on that
			return err
		}
	}
	// The server holds an entry that it cannot read: write over it.
	revision, err := w.bucket.Put(ctx, watermarkKey, span{max(w.known.first, to.first, 1), max(w.known.last, to.last)}.encode())
	w.at = revision
	return err
}

// isConflict reports whether an entry was not written because it has another revision.
func isConflict(err error) bool {
	var api *jetstream.APIError
	return errors.As(err, &api) && (api.ErrorCode == jetstream.JSErrCodeStreamWrongLastSequence ||
		api.ErrorCode == jetstream.JSErrCodeStreamWrongLastSequenceConstant)
}

// read returns what the entry holds now, the zero span if there is none.
func (w *watermark) read(ctx context.Context) (span, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.load(ctx)
}

func (w *watermark) load(ctx context.Context) (span, error) {
	entry, err := w.bucket.Get(ctx, watermarkKey)
	if errors.Is(err, jetstream.ErrKeyNotFound) {
		w.at = 0
		return span{}, nil
	}
	if err != nil {
		return span{}, err
	}
	now, ok := decodeSpan(entry.Value())
	w.known = span{max(w.known.first, now.first), max(w.known.last, now.last)}
	w.at = entry.Revision()
	if !ok {
		return span{}, nil // damaged: as if it were absent
	}
	return now, nil
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

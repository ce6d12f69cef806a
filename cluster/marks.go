package cluster

import (
	"context"
	"errors"
	"fmt"
	"hash/crc32"
	"sync"
	"sync/atomic"

	"github.com/nats-io/nats.go/jetstream"
)

// marks remembers, apart from the games, which sequence numbers the log should hold: those from first to last. What is
// not there has been lost. All logs of the run share one entry of a key-value bucket, in which neither number ever falls.
type marks struct {
	bucket jetstream.KeyValue

	wanted atomic.Uint64 // the highest sequence number that cover was called with
	mu     sync.Mutex    // held while writing: those who wait for it find their number covered by the next write
	known  span          // what the entry holds at least
	at     uint64        // its revision
}

// span is the sequence numbers from first to last; there are none if last is first-1. The zero span is unknown.
type span struct{ first, last uint64 }

const marksKey = "games"

// cover returns when the entry says that the log holds sequence. Calls at the same time share writes.
func (m *marks) cover(ctx context.Context, sequence uint64) error {
	for {
		if old := m.wanted.Load(); old >= sequence || m.wanted.CompareAndSwap(old, sequence) {
			break
		}
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.known.last >= sequence {
		return nil
	}
	return m.raise(ctx, span{last: m.wanted.Load()})
}

// drop notes that games before first are not wanted any more.
func (m *marks) drop(ctx context.Context, first uint64) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.raise(ctx, span{first: first, last: first - 1})
}

// raise lifts both numbers to those of to, if they are lower. The caller holds the lock.
func (m *marks) raise(ctx context.Context, to span) error {
	const attempts = 50
	for range attempts {
		if m.at != 0 && m.known.first >= to.first && m.known.last >= to.last {
			return nil
		}
		next := span{max(m.known.first, to.first, 1), max(m.known.last, to.last)}
		revision, err := m.bucket.Update(ctx, marksKey, next.encode(), m.at)
		if err == nil {
			m.known, m.at = next, revision
			return nil
		}
		if !isConflict(err) {
			return err
		}
		if _, err := m.load(ctx); err != nil { // somebody else has written: build on that
			return err
		}
	}
	// The server holds an entry that it cannot read: write over it.
	revision, err := m.bucket.Put(ctx, marksKey, span{max(m.known.first, to.first, 1), max(m.known.last, to.last)}.encode())
	m.at = revision
	return err
}

// isConflict reports whether an entry was not written because it has another revision.
func isConflict(err error) bool {
	var api *jetstream.APIError
	return errors.As(err, &api) && (api.ErrorCode == jetstream.JSErrCodeStreamWrongLastSequence ||
		api.ErrorCode == jetstream.JSErrCodeStreamWrongLastSequenceConstant)
}

// read returns what the entry holds now, the zero span if there is none.
func (m *marks) read(ctx context.Context) (span, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.load(ctx)
}

func (m *marks) load(ctx context.Context) (span, error) {
	entry, err := m.bucket.Get(ctx, marksKey)
	if errors.Is(err, jetstream.ErrKeyNotFound) {
		m.at = 0
		return span{}, nil
	}
	if err != nil {
		return span{}, err
	}
	now, ok := decodeSpan(entry.Value())
	m.known = span{max(m.known.first, now.first), max(m.known.last, now.last)}
	m.at = entry.Revision()
	if !ok {
		return span{}, nil // damaged: as if it were absent
	}
	return now, nil
}

func (s span) encode() []byte {
	b := fmt.Appendf(nil, "%d %d ", s.first, s.last)
	return fmt.Appendf(b, "%08x", crc32.Checksum(b, castagnoli))
}

func decodeSpan(b []byte) (s span, ok bool) {
	if _, err := fmt.Sscanf(string(b), "%d %d", &s.first, &s.last); err != nil || string(s.encode()) != string(b) {
		return span{}, false
	}
	return s, true
}

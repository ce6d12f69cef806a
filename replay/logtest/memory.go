package logtest

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"tengen/replay"
)

// MemoryLog is a replay.Log that lasts as long as the process. Close it to free its memory.
type MemoryLog struct {
	mu        sync.Mutex
	records   []record      // oldest first, with consecutive sequence numbers
	last      uint64        // sequence number of the newest
	positions int           // of all records
	known     map[id]uint64 // the sequence numbers of all records; nil when closed
	changed   chan struct{} // closed, and replaced, at every change
}

type record struct {
	id        id
	positions int
	data      []byte
}

// id tells games apart: two with the same one are the same game sent twice.
type id struct{ worker, game string }

// NewMemoryLog returns an empty log. Sequence numbers start at 1.
func NewMemoryLog() *MemoryLog {
	return &MemoryLog{known: map[id]uint64{}, changed: make(chan struct{})}
}

// Append implements replay.Log.
func (l *MemoryLog) Append(ctx context.Context, worker string, g *replay.Record) (uint64, error) {
	data, err := g.MarshalBinary()
	if err != nil {
		return 0, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := l.usable(ctx); err != nil {
		return 0, err
	}
	r := record{id{worker, g.ID()}, g.Positions(), data}
	if sequence, known := l.known[r.id]; known {
		return sequence, nil
	}
	l.last++
	l.known[r.id] = l.last
	l.records = append(l.records, r)
	l.positions += r.positions
	l.notify()
	return l.last, nil
}

// Read implements replay.Log.
func (l *MemoryLog) Read(ctx context.Context, after uint64, yield func(replay.Entry) error) error {
	_, _, err := l.read(ctx, after, yield)
	return err
}

// Follow implements replay.Log.
func (l *MemoryLog) Follow(ctx context.Context, after uint64, yield func(replay.Entry) error) error {
	for {
		last, changed, err := l.read(ctx, after, yield)
		if err != nil {
			return err
		}
		after = max(after, last)
		select {
		case <-changed:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// read is Read. It returns the last sequence number of the records that it has read, and a channel that is closed when
// there may be others.
func (l *MemoryLog) read(ctx context.Context, after uint64, yield func(replay.Entry) error) (uint64, <-chan struct{}, error) {
	l.mu.Lock()
	err := l.usable(ctx)
	records, last, changed := slices.Clone(l.records), l.last, l.changed
	l.mu.Unlock()
	if err != nil {
		return 0, nil, err
	}
	for i, r := range records {
		sequence := last - uint64(len(records)-1-i)
		if sequence <= after {
			continue
		}
		if err := ctx.Err(); err != nil {
			return 0, nil, err
		}
		g := new(replay.Record)
		if err := g.UnmarshalBinary(r.data); err != nil {
			return 0, nil, fmt.Errorf("game log, entry %d: %w", sequence, err)
		}
		if err := yield(replay.Entry{Sequence: sequence, Worker: r.id.worker, Game: g}); err != nil {
			return 0, nil, err
		}
	}
	return last, changed, nil
}

// Last implements replay.Log.
func (l *MemoryLog) Last(ctx context.Context) (uint64, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.last, l.usable(ctx)
}

// Flush implements replay.Log. A MemoryLog loses nothing.
func (l *MemoryLog) Flush(ctx context.Context) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.usable(ctx)
}

// Retain implements replay.Log.
func (l *MemoryLog) Retain(ctx context.Context, positions int) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := l.usable(ctx); err != nil {
		return err
	}
	for len(l.records) > 0 && l.positions-l.records[0].positions >= positions {
		l.positions -= l.records[0].positions
		delete(l.known, l.records[0].id)
		l.records[0] = record{}
		l.records = l.records[1:]
	}
	return nil
}

// Close implements replay.Log.
func (l *MemoryLog) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.known == nil {
		return replay.ErrClosed
	}
	l.known, l.records = nil, nil
	l.notify()
	return nil
}

// notify wakes those who wait for a change.
func (l *MemoryLog) notify() {
	close(l.changed)
	l.changed = make(chan struct{})
}

// usable tells why a call must not go on.
func (l *MemoryLog) usable(ctx context.Context) error {
	if l.known == nil {
		return replay.ErrClosed
	}
	return ctx.Err()
}

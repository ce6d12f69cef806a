package replay

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
)

// Log keeps finished games in the order in which they arrived. It may be used by several goroutines at once.
type Log interface {
	// Append adds a game that worker has finished and returns its sequence number, which is above those of all games
	// before it. When it returns without an error, the game is as safe as the log can make it; after an error, the game may
	// be in the log or not, and appending it again does no harm: a game that comes twice counts once. A log that still knows
	// of the first time answers with the sequence number given then; otherwise it gives a second one, and whoever reads it
	// is told of the duplicate.
	Append(ctx context.Context, worker string, g *Record) (sequence uint64, err error)

	// Read calls yield with an entry for every sequence number above after that the log holds, in order and without gaps, and
	// returns when it has come to the last one that was appended before the call. It stops early with the error of ctx or
	// yield, and before an entry that a later version of the program has written: that is not damaged, and nobody may go on
	// as if it were. The error wraps ErrVersion then. (Of what a worker elsewhere has sent, it is the entry that has this error:
	// whoever may send games could stop all reading otherwise.) The games belong to the caller.
	Read(ctx context.Context, after uint64, yield func(Entry) error) error

	// Follow is a Read that does not stop at the end of the log, but waits for new games. It returns only with an error.
	Follow(ctx context.Context, after uint64, yield func(Entry) error) error

	// Flush returns when the log would know of the loss of any game that was appended, or passed on by Read or Follow, before the
	// call. Otherwise it may take a moment longer to know than the game to be safe.
	Flush(ctx context.Context) error

	// Last returns the last sequence number given, 0 before the first.
	Last(ctx context.Context) (sequence uint64, err error)

	// Retain drops the oldest entries for as long as those that remain have at least this many positions.
	Retain(ctx context.Context, positions int) error

	// Close releases the log and ends what is under way. That, and whatever comes after it, returns ErrClosed.
	Close() error
}

// Entry is what a Log holds under one sequence number: a game, or the reason why there is none.
type Entry struct {
	Sequence uint64
	Worker   string  // that appended it; empty if that is not known
	Game     *Record // nil if Err is not
	// Err wraps ErrDuplicate, ErrDamaged or ErrMissing and names the sequence number. It is to be reported; the entries
	// after it are not touched by it.
	Err error
}

var (
	// ErrClosed is the error of a Log that is used after Close.
	ErrClosed = errors.New("the game log is closed")

	// ErrDuplicate is the error of an Entry whose game stands in the log under a lower sequence number already.
	ErrDuplicate = errors.New("this game came before")
	// ErrDamaged is the error of an Entry that cannot be decoded.
	ErrDamaged = errors.New("this game is damaged")
	// ErrMissing is the error of an Entry that should be in the log and is not.
	ErrMissing = errors.New("this game is lost")
)

// MemoryLog is a Log that lasts as long as the process. Close it to free its memory.
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

// Append implements Log.
func (l *MemoryLog) Append(ctx context.Context, worker string, g *Record) (uint64, error) {
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

// Read implements Log.
func (l *MemoryLog) Read(ctx context.Context, after uint64, yield func(Entry) error) error {
	_, _, err := l.read(ctx, after, yield)
	return err
}

// Follow implements Log.
func (l *MemoryLog) Follow(ctx context.Context, after uint64, yield func(Entry) error) error {
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
func (l *MemoryLog) read(ctx context.Context, after uint64, yield func(Entry) error) (uint64, <-chan struct{}, error) {
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
		g := new(Record)
		if err := g.UnmarshalBinary(r.data); err != nil {
			return 0, nil, fmt.Errorf("game log, entry %d: %w", sequence, err)
		}
		if err := yield(Entry{Sequence: sequence, Worker: r.id.worker, Game: g}); err != nil {
			return 0, nil, err
		}
	}
	return last, changed, nil
}

// Last implements Log.
func (l *MemoryLog) Last(ctx context.Context) (uint64, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.last, l.usable(ctx)
}

// Flush implements Log. A MemoryLog loses nothing.
func (l *MemoryLog) Flush(ctx context.Context) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.usable(ctx)
}

// Retain implements Log.
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

// Close implements Log.
func (l *MemoryLog) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.known == nil {
		return ErrClosed
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
		return ErrClosed
	}
	return ctx.Err()
}

package replay

import (
	"context"
	"errors"
	"fmt"
	"sync"
)

// Log keeps finished games in the order in which they arrived. It may be used by several goroutines at once.
type Log interface {
	// Append adds a game that a worker has played and returns its sequence number, which is above those of all games before
	// it. When it returns without an error, the game is as safe as the log can make it. A game of the same worker whose ID
	// the log holds already is not added again; the answer is the sequence number that it has.
	Append(ctx context.Context, worker string, g *Game) (sequence uint64, err error)

	// Read calls yield with every entry that the log holds and whose sequence number is above after, in order, and returns
	// when it has come to the last one that was appended before the call. It stops early with the error of ctx or yield.
	// The games belong to the caller.
	Read(ctx context.Context, after uint64, yield func(Entry) error) error

	// Retain drops the oldest games for as long as those that remain have at least this many positions.
	Retain(ctx context.Context, positions int) error

	// Close releases the log. Whatever comes after it returns ErrClosed.
	Close() error
}

// Entry is what a log holds under one sequence number.
type Entry struct {
	Sequence uint64
	Worker   string // that played the game
	Game     *Game  // nil where there is Damage
	Damage   error  // why the entry holds no game that can be used: it is damaged, missing, or there twice
}

// ErrClosed is the error of a Log that is used after Close.
var ErrClosed = errors.New("the game log is closed")

// MemoryLog is a Log that lasts as long as the process. Close it to free its memory.
type MemoryLog struct {
	mu        sync.Mutex
	entries   []entry // oldest first
	sequence  uint64  // of the newest game
	positions int     // of all entries
	ids       map[string]uint64
}

type entry struct {
	sequence  uint64
	worker    string
	id        string
	positions int
	record    []byte
}

// NewMemoryLog returns an empty log. Sequence numbers start at 1.
func NewMemoryLog() *MemoryLog {
	return &MemoryLog{ids: map[string]uint64{}}
}

func (l *MemoryLog) Append(ctx context.Context, worker string, g *Game) (uint64, error) {
	record, err := g.MarshalBinary()
	if err != nil {
		return 0, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := l.usable(ctx); err != nil {
		return 0, err
	}
	id := worker + " " + g.ID()
	if sequence, known := l.ids[id]; known {
		return sequence, nil
	}
	l.sequence++
	l.ids[id] = l.sequence
	l.entries = append(l.entries, entry{l.sequence, worker, id, g.Positions(), record})
	l.positions += g.Positions()
	return l.sequence, nil
}

func (l *MemoryLog) Read(ctx context.Context, after uint64, yield func(Entry) error) error {
	l.mu.Lock()
	err := l.usable(ctx)
	entries := append([]entry(nil), l.entries...)
	l.mu.Unlock()
	if err != nil {
		return err
	}
	for _, e := range entries {
		if e.sequence <= after {
			continue
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		g := new(Game)
		if err := g.UnmarshalBinary(e.record); err != nil {
			return fmt.Errorf("game log, entry %d: %w", e.sequence, err)
		}
		if err := yield(Entry{Sequence: e.sequence, Worker: e.worker, Game: g}); err != nil {
			return err
		}
	}
	return nil
}

func (l *MemoryLog) Retain(ctx context.Context, positions int) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := l.usable(ctx); err != nil {
		return err
	}
	for len(l.entries) > 0 && l.positions-l.entries[0].positions >= positions {
		l.positions -= l.entries[0].positions
		delete(l.ids, l.entries[0].id)
		l.entries[0] = entry{}
		l.entries = l.entries[1:]
	}
	return nil
}

func (l *MemoryLog) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.ids == nil {
		return ErrClosed
	}
	l.ids, l.entries = nil, nil
	return nil
}

// usable tells why a call must not go on.
func (l *MemoryLog) usable(ctx context.Context) error {
	if l.ids == nil {
		return ErrClosed
	}
	return ctx.Err()
}

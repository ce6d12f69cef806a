package replay

import (
	"context"
	"errors"
	"time"
)

// Log keeps the finished games of a run by their numbers. It may be used by several goroutines at once.
type Log interface {
	// Put stores games that worker has played. When it returns nil, they are safe on the disk; after an error, all of
	// them are stored or none. A game replaces one with its number.
	Put(ctx context.Context, worker string, games ...*Record) error

	// Read calls yield with an entry for every number in [first, end) that the log holds, ascending, and returns the
	// error of ctx or yield. Before a game whose record has another version it stops with an error that wraps
	// ErrVersion: such a game is not damaged. The games belong to the caller.
	Read(ctx context.Context, first, end uint64, yield func(Entry) error) error

	// Span returns the lowest number in the log, and one above the highest; 0 and 0 if it is empty.
	Span(ctx context.Context) (first, end uint64, err error)

	// Drop removes the games with numbers below the given one.
	Drop(ctx context.Context, below uint64) error

	// Close releases the log. It and all later calls return ErrClosed.
	Close() error
}

// Entry is what a Log holds under a number: a game, or the reason why it cannot be read.
type Entry struct {
	Number uint64
	Worker string
	Time   time.Time // when the game was stored
	Game   *Record   // nil if Err is not
	Err    error     // wraps ErrDamaged and names the number
}

var (
	// ErrClosed is the error of a Log that is used after Close.
	ErrClosed = errors.New("the game log is closed")

	// ErrDamaged is wrapped by the error of an Entry that cannot be decoded.
	ErrDamaged = errors.New("damaged")
)

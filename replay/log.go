package replay

import (
	"context"
	"errors"
	"time"
)

// Log stores the finished games of a run by number. It is safe for concurrent use.
type Log interface {
	// Put stores games that worker played, all or none. When it returns nil, they are safe on disk. A game replaces an
	// earlier one with its number.
	Put(ctx context.Context, worker string, games ...*Record) error

	// Read calls yield for every number in [first, end) that the log holds, ascending, and returns the error of ctx or
	// yield. At a game whose record has another version it stops with an error that wraps ErrVersion: the game is not
	// damaged. The caller owns the games.
	Read(ctx context.Context, first, end uint64, yield func(Entry) error) error

	// Span returns the lowest number in the log and the highest plus one; 0 and 0 if the log is empty.
	Span(ctx context.Context) (first, end uint64, err error)

	// Drop removes the games with numbers less than below.
	Drop(ctx context.Context, below uint64) error

	// Close releases the log. All later calls, Close included, return ErrClosed.
	Close() error
}

// Entry is a game in a Log, or the reason why it cannot be read.
type Entry struct {
	Number uint64
	Worker string
	Time   time.Time // when the game was stored
	Game   *Record   // nil if Err is set
	Err    error     // wraps ErrDamaged and names the number
}

var (
	// ErrClosed is returned by a Log after Close.
	ErrClosed = errors.New("the game log is closed")

	// ErrDamaged is wrapped by the error of an Entry that cannot be decoded.
	ErrDamaged = errors.New("damaged")
)

package replay

import (
	"context"
	"errors"
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

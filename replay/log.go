package replay

import (
	"context"
	"errors"
	"time"
)

// Entry is a game in a run's log, or the reason why it cannot be read.
type Entry struct {
	Number uint64
	Worker string
	Time   time.Time // when the game arrived
	Game   *Record   // nil if Err is set
	Err    error     // wraps ErrDamaged and names the number
}

// ErrDamaged is wrapped by the error of an Entry that cannot be decoded.
var ErrDamaged = errors.New("damaged")

// LocalWorker is the name that the training process has as a worker, in the log and for a Sink.
const LocalWorker = "local"

// Sink accepts finished games. It is safe for concurrent use.
type Sink interface {
	// Keep hands over a game that worker played. It may block while the sink is busy, and fails if games can no longer
	// be kept. Of several games with one number, the first counts.
	Keep(worker string, g *Record) error
	// Flush returns when all games kept before the call are safe on disk.
	Flush(ctx context.Context) error
}

// SinkFunc is a Sink that has done all with a game when Keep returns.
type SinkFunc func(worker string, g *Record) error

// Keep implements Sink.
func (f SinkFunc) Keep(worker string, g *Record) error { return f(worker, g) }

// Flush implements Sink.
func (SinkFunc) Flush(context.Context) error { return nil }

package replay

import "context"

// Sink takes in finished games. It may be used by several goroutines at once.
type Sink interface {
	// Keep hands over a game that worker has played. It may block while the sink is busy, and returns an error if games
	// can no longer be kept. Of several games with one number, the first counts.
	Keep(worker string, g *Record) error
	// Flush returns when all games that were handed over before the call are safe on the disk.
	Flush(ctx context.Context) error
}

package replay

import "context"

// Sink accepts finished games. It is safe for concurrent use.
type Sink interface {
	// Keep hands over a game that worker played. It may block while the sink is busy, and fails if games can no longer
	// be kept. Of several games with one number, the first counts.
	Keep(worker string, g *Record) error
	// Flush returns when all games kept before the call are safe on disk.
	Flush(ctx context.Context) error
}

package cluster

import (
	"context"
	"time"
)

// drainCheck is the time between two looks at what is left while a worker drains.
const drainCheck = 20 * time.Millisecond

// drain begins no more games, and returns when those under way are finished and sent, when nobody is there to send them to, or
// when the time is up. spooled is closed when all games that were begun are in the spool.
func (w *Worker) drain(ctx context.Context, spooled <-chan struct{}) {
	w.draining.Store(true)
	w.allowed.left.Store(0)
	w.wake.ring()
	ctx, cancel := context.WithTimeout(ctx, w.cfg.Drain)
	defer cancel()
	select {
	case <-ctx.Done():
		return
	case <-spooled:
	}
	ticker := time.NewTicker(drainCheck)
	defer ticker.Stop()
	for w.spool.unsent.Load() > 0 && w.conn.IsConnected() {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
	}
}

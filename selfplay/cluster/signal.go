package cluster

import (
	"context"
	"time"
)

// signal wakes one waiting goroutine.
type signal chan struct{}

func newSignal() signal { return make(signal, 1) }

func (s signal) notify() {
	select {
	case s <- struct{}{}:
	default:
	}
}

// wait returns when s is sent, after the time limit, or when ctx ends.
func wait(ctx context.Context, s signal, limit time.Duration) {
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-s:
	case <-timer.C:
	}
}

func pause(ctx context.Context, d time.Duration) { wait(ctx, nil, d) }

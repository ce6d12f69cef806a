package selfplay

import (
	"context"
	"sync/atomic"

	"tengen/net"
	"tengen/replay"
)

// Player plays the games of an iteration: here (see package netplayer) or on workers (see package cluster).
type Player interface {
	// Play plays the games whose numbers next returns, and hands each to the sink as it ends. If next returns false while
	// games are running, Play may call it again later. A game depends only on its number, the model and the run's seed.
	// next must be safe for concurrent use. Calls must not overlap.
	Play(ctx context.Context, model uint64, w *net.Weights, next func() (number uint64, ok bool), sink replay.Sink) (replay.Stats, error)
}

// Numbers returns a next function for Play that returns list's elements in order. It is safe for concurrent use.
func Numbers(list []uint64) func() (number uint64, ok bool) {
	var taken atomic.Int64
	return func() (number uint64, ok bool) {
		i := taken.Add(1) - 1
		if i >= int64(len(list)) {
			return 0, false
		}
		return list[i], true
	}
}

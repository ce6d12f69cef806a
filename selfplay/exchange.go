package selfplay

import (
	"context"
	"sync/atomic"

	"tengen/game"
)

// exchange moves running games to workers without games once no new games begin, so all cores stay busy almost to the
// end. Which worker evaluates a position never changes the result.
type exchange[S game.State[S]] struct {
	playing atomic.Int64 // workers with games
	free    chan *worker[S]
	ended   chan struct{} // closed when no worker has games
}

func newExchange[S game.State[S]](workers int) *exchange[S] {
	x := &exchange[S]{free: make(chan *worker[S]), ended: make(chan struct{})}
	x.playing.Store(int64(workers))
	return x
}

// take waits until another worker has given games to w. It returns false if no worker has any, or when ctx ends.
func (x *exchange[S]) take(ctx context.Context, w *worker[S]) bool {
	if x.playing.Add(-1) == 0 {
		close(x.ended)
	}
	select {
	case x.free <- w:
		<-w.taken
		return true
	case <-x.ended:
		return false
	case <-ctx.Done():
		return false
	}
}

// give moves half of w's n games to a worker without games, if there is one. No game may wait for an evaluation.
func (x *exchange[S]) give(w *worker[S], n int) {
	if n < 2 {
		return
	}
	select {
	case other := <-x.free:
		x.playing.Add(1)
		given := 0
		for i, g := range w.games {
			if g.record != nil && given < n/2 {
				w.games[i], other.games[given] = other.games[given], g
				given++
			}
		}
		other.taken <- struct{}{}
	default:
	}
}

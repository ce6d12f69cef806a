package train

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"tengen/replay"
)

// recorder is the replay.Sink to which a player delivers games. One goroutine stores several games per transaction,
// since a transaction costs as much as many small games.
type recorder struct {
	log    Log
	stored func([]replay.Entry) // called after each transaction, by one goroutine
	queue  chan queued
	ctx    context.Context // ends when a game cannot be stored
	fail   context.CancelCauseFunc
	ended  chan struct{} // closed when run returns
	took   time.Duration // for all transactions; read it after close

	mu     sync.Mutex
	wanted map[uint64]bool // numbers of games that have not come yet
}

// queued is an element of the queue: a game, or a Flush.
type queued struct {
	game  replay.Entry
	flush chan struct{} // closed when all games before it are stored
}

const (
	queueLength    = 256 // games; play waits while it is full
	transactionMax = 256 // games
	gatherTime     = 20 * time.Millisecond
)

func newRecorder(ctx context.Context, log Log, wanted []uint64, stored func([]replay.Entry)) *recorder {
	r := &recorder{log: log, stored: stored, queue: make(chan queued, queueLength), ended: make(chan struct{}), wanted: map[uint64]bool{}}
	r.ctx, r.fail = context.WithCancelCause(ctx)
	for _, n := range wanted {
		r.wanted[n] = true
	}
	go r.run()
	return r
}

// Keep implements replay.Sink. It ignores games that are not wanted or came before.
func (r *recorder) Keep(worker string, g *replay.Record) error {
	r.mu.Lock()
	wanted := r.wanted[g.Number]
	delete(r.wanted, g.Number)
	r.mu.Unlock()
	if !wanted {
		return nil
	}
	return r.send(r.ctx, queued{game: replay.Entry{Number: g.Number, Worker: worker, Time: time.Now(), Game: g}})
}

// Flush implements replay.Sink.
func (r *recorder) Flush(ctx context.Context) error {
	done := make(chan struct{})
	if err := r.send(ctx, queued{flush: done}); err != nil {
		return err
	}
	select {
	case <-done:
		return nil
	case <-r.ctx.Done():
		return context.Cause(r.ctx)
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func (r *recorder) send(ctx context.Context, k queued) error {
	select {
	case r.queue <- k:
		return nil
	case <-r.ctx.Done():
		return context.Cause(r.ctx)
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func (r *recorder) run() {
	defer close(r.ended)
	for k := range r.queue {
		if err := r.store(r.gather(k)); err != nil {
			r.fail(err)
			return
		}
	}
}

// gather collects the games that arrive within gatherTime after the first element, up to a Flush.
func (r *recorder) gather(first queued) (batch []queued) {
	batch = []queued{first}
	over := time.After(gatherTime)
	for len(batch) < transactionMax && batch[len(batch)-1].flush == nil {
		select {
		case k, open := <-r.queue:
			if !open {
				return batch
			}
			batch = append(batch, k)
		case <-over:
			return batch
		}
	}
	return batch
}

// store stores the games of a batch. If its last element is a Flush, store answers the Flush.
func (r *recorder) store(batch []queued) error {
	var games []replay.Entry
	for _, k := range batch {
		if k.flush == nil {
			games = append(games, k.game)
		}
	}
	if len(games) > 0 {
		start := time.Now()
		err := r.log.Put(r.ctx, games...)
		r.took += time.Since(start)
		if err != nil {
			number := func(a, b replay.Entry) int { return cmp.Compare(a.Number, b.Number) }
			return fmt.Errorf("cannot store games %d to %d: %w", slices.MinFunc(games, number).Number, slices.MaxFunc(games, number).Number, err)
		}
		r.stored(games)
	}
	if flush := batch[len(batch)-1].flush; flush != nil {
		close(flush)
	}
	return nil
}

// close waits until all queued games are stored. The player must have ended.
func (r *recorder) close() error {
	close(r.queue)
	<-r.ended
	err := context.Cause(r.ctx)
	r.fail(nil)
	return err
}

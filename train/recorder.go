package train

import (
	"context"
	"fmt"
	"sync"
	"time"

	"tengen/replay"
)

// recorder is the replay.Sink of the games that a Player is to play. One goroutine stores them: what gathers within a moment becomes
// one transaction, because a transaction costs as much as playing many small games. Playing does not wait for the disk.
type recorder struct {
	log    Log
	stored func([]*replay.Record) // is called after each transaction, by one goroutine
	queue  chan kept
	failed context.Context // ends when a game cannot be stored
	fail   context.CancelCauseFunc
	ended  chan struct{} // closed when the goroutine has ended

	mu     sync.Mutex
	wanted map[uint64]bool // numbers of which no game has come
}

// kept is a game in the queue, or a Flush.
type kept struct {
	worker string
	game   *replay.Record
	flush  chan struct{} // closed when all games before it are stored
}

const (
	queueLength    = 256 // games that may wait for the disk; playing waits then
	transactionMax = 256 // games
	gatherTime     = 20 * time.Millisecond
)

func newRecorder(ctx context.Context, log Log, wanted []uint64, stored func([]*replay.Record)) *recorder {
	r := &recorder{log: log, stored: stored, queue: make(chan kept, queueLength), ended: make(chan struct{}), wanted: map[uint64]bool{}}
	r.failed, r.fail = context.WithCancelCause(ctx)
	for _, n := range wanted {
		r.wanted[n] = true
	}
	go r.run()
	return r
}

// Keep implements replay.Sink. Games that are not wanted, or not any more, are left out.
func (r *recorder) Keep(worker string, g *replay.Record) error {
	r.mu.Lock()
	wanted := r.wanted[g.Number]
	delete(r.wanted, g.Number)
	r.mu.Unlock()
	if !wanted {
		return nil
	}
	return r.send(r.failed, kept{worker: worker, game: g})
}

// Flush implements replay.Sink.
func (r *recorder) Flush(ctx context.Context) error {
	done := make(chan struct{})
	if err := r.send(ctx, kept{flush: done}); err != nil {
		return err
	}
	select {
	case <-done:
		return nil
	case <-r.failed.Done():
		return context.Cause(r.failed)
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func (r *recorder) send(ctx context.Context, k kept) error {
	select {
	case r.queue <- k:
		return nil
	case <-r.failed.Done():
		return context.Cause(r.failed)
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// run stores what comes until close.
func (r *recorder) run() {
	defer close(r.ended)
	for k := range r.queue {
		if err := r.store(r.gather(k)); err != nil {
			r.fail(err)
			return
		}
	}
}

// gather returns what comes within gatherTime of the first game, or until somebody waits for it.
func (r *recorder) gather(first kept) (batch []kept) {
	batch = []kept{first}
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

// store stores games in a transaction for each row of games of one worker, and answers those who wait for it.
func (r *recorder) store(batch []kept) error {
	var games []*replay.Record
	for i, k := range batch {
		if k.game != nil {
			games = append(games, k.game)
		}
		last := i == len(batch)-1 || batch[i+1].game == nil || batch[i+1].worker != k.worker
		if last && len(games) > 0 {
			if err := r.log.Put(r.failed, k.worker, games...); err != nil {
				return fmt.Errorf("cannot store games %d to %d: %w", games[0].Number, games[len(games)-1].Number, err)
			}
			r.stored(games)
			games = nil
		}
		if k.flush != nil {
			close(k.flush)
		}
	}
	return nil
}

// close stores what is queued and ends the goroutine. The player has ended, so nothing else comes.
func (r *recorder) close() error {
	close(r.queue)
	<-r.ended
	err := context.Cause(r.failed)
	r.fail(nil)
	return err
}

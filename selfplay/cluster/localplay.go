package cluster

import (
	"context"
	"sync"
	"sync/atomic"

	"tengen/replay"
)

// localPlay plays a job's games in this process. It pulls tasks like a worker. Without tasks, it plays the oldest
// missing games, even if workers hold them.
type localPlay struct {
	player  GamePlayer
	job     *job
	puller  *puller
	queue   *taskQueue
	drained atomic.Bool // the server has no task
}

func (c *Coordinator) playHere(j *job) (replay.Stats, error) {
	l := &localPlay{player: c.cfg.Local, job: j, puller: c.puller, queue: newTaskQueue(c.conn, j.model, c.cfg.Local.ParallelGames())}
	ctx, stop := context.WithCancel(j.ctx)
	var fetching sync.WaitGroup
	fetching.Go(func() { l.queue.progress(ctx) })
	fetching.Go(func() { l.fetch(ctx) })
	defer func() {
		stop()
		fetching.Wait()
		l.queue.giveBack()
	}()
	return l.play(ctx)
}

// play plays until ctx ends.
func (l *localPlay) play(ctx context.Context) (stats replay.Stats, err error) {
	for ctx.Err() == nil {
		some, err := l.player.Play(ctx, l.job.model, l.job.weights, l.next, l.finished)
		if err != nil {
			return stats, err
		}
		stats.Add(some)
		if some.Games == 0 {
			wait(ctx, l.queue.added, pollEvery)
		}
	}
	return stats, nil
}

// fetch keeps the queue full until ctx ends.
func (l *localPlay) fetch(ctx context.Context) {
	for ctx.Err() == nil {
		if l.queue.queued() >= l.queue.target {
			wait(ctx, l.queue.low, pollEvery)
		} else if err := l.puller.pull(ctx, 0, l.queue); err != nil {
			l.drained.Store(true)
			l.queue.added.notify()
			pause(ctx, pollEvery)
		} else {
			l.drained.Store(false)
		}
	}
}

// next returns a game to begin, for GamePlayer.Play.
func (l *localPlay) next() (number uint64, ok bool) {
	for {
		n, ok := l.queue.next()
		if !ok {
			break
		}
		if l.job.begin(n) {
			return n, true
		}
		l.queue.answered(n) // it is kept, or being played here
	}
	if !l.drained.Load() {
		return 0, false
	}
	return l.job.beginOldest()
}

// finished stores a game, unless a worker's was kept first.
func (l *localPlay) finished(g *replay.Record) error {
	defer l.queue.answered(g.Number)
	if !l.job.claim(g.Number) {
		return nil
	}
	if err := l.job.sink.Keep(replay.LocalWorker, g); err != nil {
		return err
	}
	l.job.settle(1, 0)
	return nil
}

package cluster

import (
	"sync"
	"time"

	"tengen/replay"
	"tengen/selfplay"
)

// localPlay plays games in this process. It takes them from the job's list, each when it can begin.
type localPlay struct {
	player selfplay.Player

	mu   sync.Mutex
	job  *job
	idle time.Time // when there was last no game to take
	holder
}

// play plays a job's games until the job ends.
func (l *localPlay) play(j *job) (stats replay.Stats, err error) {
	l.mu.Lock()
	l.job, l.idle = j, time.Time{}
	clear(l.held)
	l.mu.Unlock()
	for j.ctx.Err() == nil {
		some, err := l.player.Play(j.ctx, j.model, j.weights, l.next, replay.SinkFunc(l.keep))
		if err != nil {
			return stats, err
		}
		stats.Add(some)
		if some.Games == 0 {
			pause(j.ctx, pollEvery)
		}
	}
	return stats, nil
}

// next returns a game to begin, for Player.Play.
func (l *localPlay) next() (number uint64, ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := time.Now()
	if now.Sub(l.idle) < pollEvery {
		return 0, false
	}
	numbers := l.job.take(1, 1, l.patience(), l.held, now)
	if len(numbers) == 0 {
		l.idle = now
		return 0, false
	}
	l.hold(numbers, now)
	return numbers[0], true
}

// keep stores a game, unless a worker's was kept first.
func (l *localPlay) keep(worker string, g *replay.Record) error {
	l.mu.Lock()
	l.receive(g.Number, time.Now())
	l.mu.Unlock()
	if !l.job.claim(g.Number) {
		return nil
	}
	if err := l.job.sink.Keep(worker, g); err != nil {
		return err
	}
	l.job.settle(1, 0)
	return nil
}

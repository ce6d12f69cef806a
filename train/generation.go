package train

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"

	"tengen/net"
	"tengen/train/checkpoint"
)

// generation is the self-play of one iteration.
type generation struct {
	model  checkpoint.ModelFile
	stop   context.CancelFunc
	began  time.Time
	ended  chan struct{} // closed when the fields below are known
	played delivery
	last   time.Time // when the last game had come
	err    error

	done    atomic.Int64 // games stored
	awaited atomic.Bool  // the loop waits for it, so its progress is reported
}

// generate returns the games of an iteration. With Setup.Ahead, it also starts the next iteration's games.
func (l *Loop) generate(ctx context.Context, m *checkpoint.Metrics) (delivery, error) {
	n := l.setup.Config.GamesPerIteration
	var seconds float64
	stop := stopwatch(&seconds)
	g := l.upcoming
	l.upcoming = nil
	if g == nil {
		model, weights := l.state.Published.ModelFile, l.published
		if l.setup.Ahead > 0 {
			model, weights = l.state.Before, l.before
		}
		g = l.play(ctx, m, model, weights, l.state.Games)
	}
	l.current = g
	g.awaited.Store(true)
	l.report(m, PhaseSelfPlay, int(g.done.Load()), n)
	<-g.ended
	g.stop()
	played := g.played
	if g.err != nil {
		return played, fmt.Errorf("self-play: %w", g.err)
	}
	stop()
	// Only the time in this call counts: games played while the loop was learning have cost it nothing.
	m.Seconds.Verify = min(seconds, played.stats.Verifying.Seconds())
	m.Seconds.Wait = min(seconds-m.Seconds.Verify, played.stats.Waiting.Seconds())
	m.Seconds.SelfPlay = seconds - m.Seconds.Verify - m.Seconds.Wait
	if played.removed {
		if err := l.refill(ctx, &l.state); err != nil {
			return played, err
		}
	}
	if len(played.games) != n {
		return played, fmt.Errorf("self-play delivered %d games, but should have delivered %d", len(played.games), n)
	}
	if l.setup.Ahead > 0 && m.Iteration < l.setup.Config.Iterations {
		upcoming := &checkpoint.Metrics{Iteration: m.Iteration + 1}
		l.upcoming = l.play(ctx, upcoming, l.state.Published.ModelFile, l.published, l.state.Games+uint64(n))
	}
	m.Games, m.PlayedBy = l.state.Games+uint64(n), g.model
	m.Work, m.Play = newWork(played.stats), newPlay(played.games)
	m.CoreSeconds.Network, m.CoreSeconds.Search = played.stats.Network.Seconds(), played.stats.Search.Seconds()
	m.CoreSeconds.Log = played.stats.Log.Seconds()
	return played, nil
}

// play starts the self-play of m's iteration in the background. The games begin at number after.
func (l *Loop) play(
	ctx context.Context, m *checkpoint.Metrics, model checkpoint.ModelFile, w *net.Weights, after uint64,
) *generation {
	ctx, cancel := context.WithCancel(ctx)
	g := &generation{model: model, stop: cancel, began: time.Now(), ended: make(chan struct{})}
	o := order{
		model: model, weights: w, after: after, games: l.setup.Config.GamesPerIteration,
		needed: min(l.needed, l.neededBefore),
		progress: func(done int) {
			g.done.Store(int64(done))
			if g.awaited.Load() {
				l.report(m, PhaseSelfPlay, done, l.setup.Config.GamesPerIteration)
			}
		},
	}
	go func() {
		defer close(g.ended)
		g.played, g.err = l.games.next(ctx, o)
		g.last = time.Now().Add(-g.played.stats.Verifying)
	}()
	return g
}

// within returns how much of the time between two moments games were being played. A nil generation plays none.
func (g *generation) within(from, to time.Time) time.Duration {
	if g == nil {
		return 0
	}
	select {
	case <-g.ended:
		if g.last.Before(to) {
			to = g.last
		}
	default:
	}
	if g.began.After(from) {
		from = g.began
	}
	return max(0, to.Sub(from))
}

// abandon stops self-play that runs ahead and waits until its finished games are stored.
func (l *Loop) abandon() {
	if g := l.upcoming; g != nil {
		g.stop()
		<-g.ended
		l.upcoming = nil
	}
}

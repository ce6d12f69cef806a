package train

import (
	"context"
	"fmt"
	"sync/atomic"

	"tengen/net"
	"tengen/train/checkpoint"
)

// generation is the self-play of one iteration.
type generation struct {
	stop  context.CancelFunc
	ended chan struct{} // closed when batch and err are known
	batch Batch
	err   error

	done    atomic.Int64 // games stored
	awaited atomic.Bool  // the loop waits for it, so its progress is reported
}

// generate returns the games of an iteration. With Setup.Ahead, it also starts the next iteration's games.
func (l *Loop) generate(ctx context.Context, m *checkpoint.Metrics) (Batch, error) {
	n := l.setup.Config.GamesPerIteration
	var seconds float64
	stop := stopwatch(&seconds)
	g := l.upcoming
	if l.upcoming = nil; g == nil {
		model, weights := l.state.Published.Iteration, l.published
		if l.setup.Ahead > 0 {
			model, weights = l.state.Before, l.before
		}
		g = l.play(ctx, m, model, weights, l.state.Cursor)
	}
	g.awaited.Store(true)
	l.report(m, PhaseSelfPlay, int(g.done.Load()), n)
	<-g.ended
	g.stop()
	b := g.batch
	if g.err != nil {
		return b, fmt.Errorf("self-play: %w", g.err)
	}
	stop()
	// Only the time in this call counts: games played while the loop was learning have cost it nothing.
	m.Seconds.Verify = min(seconds, b.Stats.Verifying.Seconds())
	m.Seconds.Wait = min(seconds-m.Seconds.Verify, b.Stats.Waiting.Seconds())
	m.Seconds.SelfPlay = seconds - m.Seconds.Verify - m.Seconds.Wait
	if b.Replaced {
		if err := l.refill(ctx, &l.state); err != nil {
			return b, err
		}
	}
	if len(b.Games) != n {
		return b, fmt.Errorf("self-play delivered %d games, but should have delivered %d", len(b.Games), n)
	}
	if l.setup.Ahead > 0 && m.Iteration < l.setup.Config.Iterations {
		l.upcoming = l.play(ctx, &checkpoint.Metrics{Iteration: m.Iteration + 1}, l.state.Published.Iteration, l.published, b.Cursor)
	}
	m.Games = l.state.Games + uint64(n)
	m.Work, m.Play = newWork(b.Stats), newPlay(b.Games)
	m.CoreSeconds.Network, m.CoreSeconds.Search, m.CoreSeconds.Log = b.Stats.Network.Seconds(), b.Stats.Search.Seconds(), b.Stats.Log.Seconds()
	return b, nil
}

// play starts the self-play of m's iteration in the background. The games begin at number after.
func (l *Loop) play(ctx context.Context, m *checkpoint.Metrics, model int, w *net.Weights, after uint64) *generation {
	ctx, cancel := context.WithCancel(ctx)
	g := &generation{stop: cancel, ended: make(chan struct{})}
	r := Request{
		Model: uint64(model), Weights: w, After: after, Games: l.setup.Config.GamesPerIteration, Needed: min(l.needed, l.neededBefore),
		Progress: func(done int) {
			g.done.Store(int64(done))
			if g.awaited.Load() {
				l.report(m, PhaseSelfPlay, done, l.setup.Config.GamesPerIteration)
			}
		},
	}
	go func() {
		defer close(g.ended)
		g.batch, g.err = l.setup.Games.Next(ctx, r)
	}()
	return g
}

// abandon stops self-play that runs ahead and waits until its finished games are stored.
func (l *Loop) abandon() {
	if g := l.upcoming; g != nil {
		g.stop()
		<-g.ended
		l.upcoming = nil
	}
}

package bench

import (
	"cmp"
	"context"
	"errors"
	"math"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"tengen/engine"
	"tengen/net"
	"tengen/players"
	"tengen/replay"
	"tengen/run"
	"tengen/selfplay/netplayer"
	"tengen/train"
)

// measurer measures each speed of a configuration for about the window. After an error, it measures nothing more.
type measurer struct {
	ctx      context.Context // ends the measurements
	game     engine.Game
	cfg      run.Config
	weights  *net.Weights
	window   time.Duration
	progress func(text string) // called before each measurement
	err      error             // the first
}

// newMeasurer returns a measurer of a valid configuration.
func newMeasurer(ctx context.Context, cfg run.Config, window time.Duration, progress func(text string)) (*measurer, error) {
	if err := run.CheckMemory(cfg); err != nil {
		return nil, err
	}
	e, err := engine.Open(cfg.Game)
	if err != nil {
		return nil, err
	}
	w, err := run.FirstWeights(e, cfg, false)
	if err != nil { // such as the model of a run that comes first; weights matter little to speed
		w = e.Weights(cfg.Net, cfg.Seed)
	}
	return &measurer{ctx: ctx, game: e, cfg: cfg, weights: w, window: window, progress: progress}, nil
}

// rate returns the units of work that n goroutines do per second. start makes the work of goroutine i, which returns
// the units that it has done. Its first call is a warm-up.
func (m *measurer) rate(what string, n int, start func(i int) (work func() (int, error))) (sum float64) {
	if m.err != nil {
		return 0
	}
	m.progress(what)
	var group errgroup.Group
	rates, works := make([]float64, n), make([]func() (int, error), n)
	for i := range works {
		works[i] = start(i)
	}
	for i, work := range works {
		group.Go(func() error {
			_, err := work()
			begin, units, done := time.Now(), 0, 0
			for err == nil && (units == 0 || time.Since(begin) < m.window) {
				if err = m.ctx.Err(); err == nil {
					done, err = work()
					units += done
				}
			}
			rates[i] = float64(units) / time.Since(begin).Seconds()
			return err
		})
	}
	m.err = group.Wait()
	for _, r := range rates {
		sum += r
	}
	return sum
}

// evaluations returns the positions that goroutines evaluate per second, on the servers in turn.
func (m *measurer) evaluations(what string, batch, goroutines int, servers ...*net.Server) float64 {
	return m.rate(what, goroutines, func(i int) func() (int, error) {
		evaluate := m.game.Evaluations(servers[i%len(servers)], batch)
		return func() (int, error) { return batch, evaluate() }
	})
}

// training returns the samples that a learner takes per second, on a device unless it is nil. Nothing is solved.
func (m *measurer) training(d *net.Device) float64 {
	learner := train.NewLearner(m.cfg.Train, m.weights, m.cfg.Seed)
	defer learner.Close()
	if d != nil {
		learner.Accelerate(d)
	}
	c := m.cfg.Replay
	c.ExactPlies = 0
	window := m.game.Window(c)
	return m.rate("training", 1, func(int) func() (int, error) {
		added := window.Add(m.game.RandomGames(50)...)
		return func() (int, error) {
			if added != nil {
				return 0, added
			}
			_, err := learner.Step(window, 1, true)
			if errors.Is(err, net.ErrDeviceLost) { // the processor takes the next step
				err = nil
			}
			return m.cfg.Train.BatchSize, err
		}
	})
}

// opponentMoves returns the moves that the opponent of evaluations makes per second, on one core, in the positions of a
// random game.
func (m *measurer) opponentMoves() float64 {
	return m.rate("the opponent", 1, func(int) func() (int, error) {
		position, moves := m.game.Start(), m.game.RandomGames(1)[0].Moves
		at := 0
		thinker, err := m.opponent()
		return func() (int, error) {
			if err != nil {
				return 0, err
			}
			thinker.Reset(position)
			if _, err := thinker.Think(m.ctx, thinker.Limit(), nil); err != nil {
				return 0, err
			}
			position, err = position.Play(moves[at])
			if at++; at == len(moves) {
				position, at = m.game.Start(), 0
			}
			return 1, err
		}
	})
}

// opponent returns the opponent of evaluations, on one core.
func (m *measurer) opponent() (engine.Thinker, error) {
	spec, err := m.cfg.Eval.Opponent()
	if err != nil {
		return nil, err
	}
	p, err := m.game.Player(spec, engine.PlayerOptions{})
	if err != nil {
		return nil, err
	}
	o := players.Default()
	o.Threads = 1
	return m.game.Think(p, o)
}

// size plays games without a network for about the window, at least one per goroutine. model determines the length of
// searches.
func (m *measurer) size(model int, window time.Duration) gameSize {
	if m.err != nil {
		return gameSize{}
	}
	c := m.cfg
	c.Selfplay.GamesPerWorker, c.Selfplay.CacheMegabytes = 1, 0
	p := m.game.SelfPlay(c.Selfplay, c.Search, c.Seed)
	games, stats, err := p.PlayFor(m.ctx, uint64(model), nil, 1, p.ParallelGames(), math.MaxInt, window)
	m.err = err
	return sizeOf(games, stats)
}

// lookups returns the evaluations that a player asks for per second, cached or not. The player plays games from number
// first on for about the window, and drops them.
func (m *measurer) lookups(p *netplayer.Player, first int, window time.Duration) float64 {
	if m.err != nil {
		return 0
	}
	m.progress("self-play without an end")
	playing, cancel := context.WithCancel(m.ctx)
	defer cancel()
	var taken atomic.Uint64
	next := func() (uint64, bool) {
		n := taken.Add(1)
		if n == 1 { // networks are compiled before
			time.AfterFunc(window, cancel)
		}
		return uint64(first) + n - 1, true
	}
	drop := replay.SinkFunc(func(string, *replay.Record) error { return nil })
	stats, err := p.Play(playing, uint64(m.cfg.Selfplay.GrowIterations), m.weights, next, drop)
	if m.err = err; playing.Err() != nil {
		m.err = m.ctx.Err()
	}
	return float64(max(1, stats.CacheLookups)) / stats.Duration.Seconds()
}

// device returns the device that compute.device names, or nil.
func (m *measurer) device(warn func(error)) *net.Device {
	d, err := m.cfg.Compute.Open(warn)
	m.err = cmp.Or(m.err, err)
	return d
}

// player returns a player of self-play on the device that compute.device names, if any.
func (m *measurer) player() *netplayer.Player {
	p := m.game.SelfPlay(m.cfg.Selfplay, m.cfg.Search, m.cfg.Seed)
	p.Use(m.device(func(error) {}))
	return p
}

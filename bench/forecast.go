package bench

import (
	"context"
	"math"
	"sync/atomic"
	"time"

	"tengen/replay"
	"tengen/run"
	"tengen/selfplay/netplayer"
	"tengen/train"
)

// forecast estimates how long a run's iterations take with a choice of devices. It measures for about two windows. It
// counts evaluations and positions in games without a network, which are quick, and measures speed with the network.
func forecast(ctx context.Context, cfg run.Config, c Choice, window time.Duration) (train.Forecast, error) {
	f := train.Forecast{Grow: cfg.Selfplay.GrowIterations}
	m, err := newMeasurer(ctx, cfg, window/2, func(string) {})
	if err != nil {
		return f, err
	}
	first, grown := m.size(0, window/4), m.size(f.Grow, window/4) // in the first iteration, and with searches of full length
	player := m.game.SelfPlay(cfg)
	player.Use(c.Plays)
	defer player.Close()
	lookups := m.lookups(player, 0, window)
	samples, _ := m.training(c.Learns)
	f.First = first.load(cfg.Train, lookups, samples).Seconds(0, false)
	f.Grown = grown.load(cfg.Train, lookups, samples).Seconds(0, false)
	return f, m.err
}

// gameSize is the mean work that a game causes.
type gameSize struct {
	lookups   float64 // evaluations, cached or not
	positions float64 // to learn from
}

func sizeOf(games []*replay.Record, stats replay.Stats) gameSize {
	positions := 0
	for _, g := range games {
		positions += g.Positions()
	}
	n := float64(max(1, len(games)))
	return gameSize{lookups: float64(stats.CacheLookups) / n, positions: float64(positions) / n}
}

// load returns the work of an iteration at a speed of lookups and of training samples per second.
func (g gameSize) load(c train.Config, lookups, samples float64) train.Load {
	games := float64(c.GamesPerIteration)
	return train.Load{Play: games * g.lookups / lookups, Learn: games * c.Passes * g.positions / samples}
}

// size plays games without a network for about the window, at least one per goroutine. model determines the length of
// searches.
func (m *measurer) size(model int, window time.Duration) gameSize {
	if m.err != nil {
		return gameSize{}
	}
	c := m.cfg
	c.Selfplay.GamesPerWorker, c.Selfplay.CacheMegabytes = 1, 0
	p := m.game.SelfPlay(c)
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

package run

import (
	"context"
	"sync/atomic"
	"time"

	"tengen/net"
	"tengen/replay"
	"tengen/selfplay/netplayer"
	"tengen/train"
)

// Forecast implements Game. It counts evaluations and positions in games without a network, which are quick, and
// measures speed with the network.
func (e typedGame[S]) Forecast(ctx context.Context, cfg Config, c Choice, window time.Duration) (train.Forecast, error) {
	f := train.Forecast{Grow: cfg.Selfplay.GrowIterations}
	if err := CheckMemory(cfg); err != nil {
		return f, err
	}
	var games [2]gameSize // in the first iteration, and once searches have their full length
	for i, model := range []int{0, f.Grow} {
		var err error
		if games[i], err = e.forecastGames(ctx, cfg, uint64(model), window/4); err != nil {
			return f, err
		}
	}
	b := e.newBench(ctx, cfg, window/2, func(string) {})
	player := e.player(cfg)
	player.Use(c.Plays)
	defer player.Close()
	lookups, err := lookupSpeed(ctx, player, uint64(f.Grow), b.weights, 0, window)
	if err != nil {
		return f, err
	}
	b.cfg.Replay.ExactPlies = 0 // nothing is solved
	samples, _ := b.training(c.Learns)
	f.First = games[0].load(cfg.Train, lookups, samples).Seconds(0, false)
	f.Grown = games[1].load(cfg.Train, lookups, samples).Seconds(0, false)
	return f, b.err
}

// gameSize is the mean work that a game causes.
type gameSize struct {
	lookups   float64 // evaluations, cached or not
	positions float64 // to learn from
}

// load returns the work of an iteration at a speed of lookups and of training samples per second.
func (g gameSize) load(c train.Config, lookups, samples float64) train.Load {
	games := float64(c.GamesPerIteration)
	return train.Load{Play: games * g.lookups / lookups, Learn: games * c.Passes * g.positions / samples}
}

// forecastGames plays games without a network for about the window, at least one per goroutine. model determines the
// length of searches.
func (e typedGame[S]) forecastGames(ctx context.Context, cfg Config, model uint64, window time.Duration) (gameSize, error) {
	cfg.Selfplay.GamesPerWorker, cfg.Selfplay.CacheMegabytes = 1, 0
	player := e.player(cfg)
	var number, positions atomic.Int64
	start := time.Now()
	next := func() (uint64, bool) {
		n := number.Add(1)
		return uint64(n), n <= int64(player.ParallelGames()) || time.Since(start) < window
	}
	sink := replay.SinkFunc(func(_ string, g *replay.Record) error {
		positions.Add(int64(g.Positions()))
		return nil
	})
	stats, err := player.Play(ctx, model, nil, next, sink)
	games := float64(max(1, stats.Games))
	return gameSize{float64(stats.CacheLookups) / games, float64(positions.Load()) / games}, err
}

// lookupSpeed returns the evaluations that a player asks for per second, cached or not. It plays games from number first
// on for about the window, and drops them.
func lookupSpeed(ctx context.Context, player *netplayer.Player, model uint64, w *net.Weights, first uint64, window time.Duration) (float64, error) {
	playing, cancel := context.WithCancel(ctx)
	defer cancel()
	var taken atomic.Uint64
	next := func() (uint64, bool) {
		n := taken.Add(1)
		if n == 1 { // networks are compiled before
			time.AfterFunc(window, cancel)
		}
		return first + n - 1, true
	}
	stats, err := player.Play(playing, model, w, next, replay.SinkFunc(func(string, *replay.Record) error { return nil }))
	if playing.Err() != nil {
		err = ctx.Err()
	}
	return float64(max(1, stats.CacheLookups)) / stats.Duration.Seconds(), err
}

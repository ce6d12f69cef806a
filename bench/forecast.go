package bench

import (
	"context"
	"math"
	"time"

	"tengen/net"
	"tengen/replay"
	"tengen/run"
	"tengen/train"
	"tengen/train/checkpoint"
)

// Forecast estimates a run's time on this machine. A new run's forecast leaves out evaluations and perfect play.
type Forecast struct {
	First, Grown float64 // seconds of the first iteration, and of each iteration with full-length searches
	Grow         int     // selfplay.grow_iterations
}

// KnownForecast forecasts from the mean time of the last ten iterations. ok is false if there are none.
func KnownForecast(past []checkpoint.Metrics) (f Forecast, ok bool) {
	past = past[max(0, len(past)-10):]
	sum, _ := checkpoint.Spent(past)
	each := sum.Total / float64(len(past))
	return Forecast{First: each, Grown: each}, each > 0
}

func (f Forecast) seconds(iteration int) float64 {
	share := min(1, float64(iteration-1)/float64(max(1, f.Grow)))
	return f.First + float64(share*(f.Grown-f.First))
}

// Left returns the time of iterations done+1 to last.
func (f Forecast) Left(done, last int) time.Duration {
	sum := 0.0
	for i := done + 1; i <= last; i++ {
		sum += f.seconds(i)
	}
	return time.Duration(min(sum*float64(time.Second), math.MaxInt64/2))
}

// Iterations returns how many iterations of a new run fit into d, at least 1.
func (f Forecast) Iterations(d time.Duration) int {
	n := 1
	for left := d.Seconds() - f.seconds(1); left >= f.seconds(n+1) && n < checkpoint.MaxIteration; n++ {
		left -= f.seconds(n + 1)
	}
	return n
}

// forecast estimates how long a run's iterations take with these devices. It measures for about two windows: it counts
// evaluations and positions in games without a network, which are quick, and measures speed with the network.
func forecast(ctx context.Context, cfg run.Config, plays, learns *net.Device, window time.Duration) (Forecast, error) {
	f := Forecast{Grow: cfg.Selfplay.GrowIterations}
	m, err := newMeasurer(ctx, cfg, window/2, func(string) {})
	if err != nil {
		return f, err
	}
	first, grown := m.size(0, window/4), m.size(f.Grow, window/4) // in the first iteration, and with searches of full length
	player := m.game.SelfPlay(cfg.Selfplay, cfg.Search, cfg.Seed)
	player.Use(plays)
	defer player.Close()
	lookups := m.lookups(player, 0, window)
	samples := m.training(learns)
	begin, end := first.load(cfg.Train, lookups, samples), grown.load(cfg.Train, lookups, samples)
	f.First, f.Grown = begin.Play+begin.Learn, end.Play+end.Learn
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

// Load is the work of an iteration on one machine, in seconds. It leaves out evaluations, perfect play, games played
// again, and the sending of models and games.
type Load struct {
	Play  float64 `json:"play_seconds"`  // games / (games/s)
	Learn float64 `json:"learn_seconds"` // passes * positions / (samples/s)
}

// load returns the work of an iteration at a speed of lookups and of training samples per second.
func (g gameSize) load(c train.Config, lookups, samples float64) Load {
	games := float64(c.GamesPerIteration)
	return Load{Play: games * g.lookups / lookups, Learn: games * c.Passes * g.positions / samples}
}

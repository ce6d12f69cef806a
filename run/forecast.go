package run

import (
	"context"
	"math"
	"sync/atomic"
	"time"

	"tengen/mcts"
	"tengen/net"
	"tengen/replay"
	"tengen/selfplay"
	"tengen/train/checkpoint"
)

// Forecast estimates a run's time on this machine, without evaluations and perfect play.
type Forecast struct {
	first, grown float64 // seconds of the first iteration, and of those with full-length searches
	grow         int     // selfplay.grow_iterations
}

// KnownForecast forecasts by the last iterations' mean time; ok is false without any.
func KnownForecast(past []checkpoint.Metrics) (f Forecast, ok bool) {
	past = past[max(0, len(past)-10):]
	sum, _ := checkpoint.Spent(past)
	each := sum.Total / float64(len(past))
	return Forecast{first: each, grown: each}, each > 0
}

// Forecast implements Game. It takes about two windows. It counts simulations and positions in cheap games without a
// network, and measures speed with the network.
func (e bound[S]) Forecast(ctx context.Context, cfg Config, window time.Duration) (Forecast, error) {
	grow := cfg.Selfplay.GrowIterations
	w := e.weights(cfg)
	first, err := e.forecastGames(ctx, cfg, 0, window/4)
	if err != nil {
		return Forecast{}, err
	}
	grown, err := e.forecastGames(ctx, cfg, uint64(grow), window/4)
	if err != nil {
		return Forecast{}, err
	}
	lookups, err := e.forecastSelfplay(ctx, cfg, w, window)
	if err != nil {
		return Forecast{}, err
	}
	cfg.Replay.ExactPlies = 0
	b := e.newBench(ctx, cfg, window/2, func(string) {})
	b.training()
	seconds := func(g gameSize) float64 {
		return float64(cfg.Train.GamesPerIteration) * (g.lookups/lookups + cfg.Train.Passes*g.positions/b.TrainSamplesPerSecond)
	}
	return Forecast{seconds(first), seconds(grown), grow}, b.err
}

// gameSize is the mean work of a game.
type gameSize struct {
	lookups   float64 // evaluations, cached or not
	positions float64 // to learn from
}

// forecastGames plays at least one game per core for about the window, without a network, with the given model's
// search.
func (e bound[S]) forecastGames(ctx context.Context, cfg Config, model uint64, window time.Duration) (gameSize, error) {
	cfg.Selfplay.GamesPerWorker, cfg.Selfplay.CacheMegabytes = 1, 0
	var evaluators []mcts.Evaluator[S]
	for range e.generator(cfg, "").ParallelGames() {
		evaluators = append(evaluators, &mcts.Uniform[S]{})
	}
	var number, positions atomic.Int64
	start := time.Now()
	next := func() (uint64, bool) {
		n := number.Add(1)
		return uint64(n), n <= int64(len(evaluators)) || time.Since(start) < window
	}
	finished := func(g *replay.Record) error {
		positions.Add(int64(g.Positions()))
		return nil
	}
	stats, err := selfplay.NewPool(e.Rules, cfg.Selfplay, cfg.Search, cfg.Seed, evaluators).Play(ctx, model, next, finished)
	games := float64(max(1, stats.Games))
	return gameSize{float64(stats.CacheLookups) / games, float64(positions.Load()) / games}, err
}

// forecastSelfplay returns self-play evaluations per second, cached or not, over about the window.
func (e bound[S]) forecastSelfplay(ctx context.Context, cfg Config, w *net.Weights, window time.Duration) (float64, error) {
	player := e.generator(cfg, "")
	over, cancel := context.WithCancel(ctx)
	defer cancel()
	var number atomic.Uint64
	next := func() (uint64, bool) {
		if number.Add(1) == 1 { // the networks are compiled
			time.AfterFunc(window, cancel)
		}
		return number.Load(), true
	}
	stats, err := player.Play(over, uint64(cfg.Selfplay.GrowIterations), w, next, func(*replay.Record) error { return nil })
	if over.Err() != nil {
		err = ctx.Err()
	}
	return float64(max(1, stats.CacheLookups)) / stats.Duration.Seconds(), err
}

func (f Forecast) seconds(iteration int) float64 {
	share := min(1, float64(iteration-1)/float64(max(1, f.grow)))
	return f.first + share*(f.grown-f.first)
}

// Left returns the time of iterations done+1 to last.
func (f Forecast) Left(done, last int) time.Duration {
	sum := 0.0
	for i := done + 1; i <= last; i++ {
		sum += f.seconds(i)
	}
	return time.Duration(min(sum*float64(time.Second), math.MaxInt64/2))
}

// Iterations returns the number of a new run's iterations within d, at least 1.
func (f Forecast) Iterations(d time.Duration) int {
	n := 1
	for left := d.Seconds() - f.seconds(1); left >= f.seconds(n+1) && n < checkpoint.MaxIteration; n++ {
		left -= f.seconds(n + 1)
	}
	return n
}

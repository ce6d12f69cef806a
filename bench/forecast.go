package bench

import (
	"context"
	"math"
	"runtime"
	"sort"
	"time"

	"tengen/net"
	"tengen/replay"
	"tengen/run"
	"tengen/train"
	"tengen/train/checkpoint"
)

// Forecast estimates a run's time on this machine. A new run's forecast leaves out perfect play.
type Forecast struct {
	First, Grown float64 // seconds of the first iteration, and of each iteration with full-length searches
	Grow         int     // selfplay.grow_iterations
	Halfway      bool    // whether a short run lowers it, see GrowIterations
	Evaluation   float64 // seconds of an evaluation
	Every        int     // train.evaluate_every
	Games        int     // train.games_per_iteration
	Fewest       int     // games that an iteration needs to learn from them
}

// KnownForecast forecasts from the mean time of the last ten iterations, and from the last evaluation. ok is false if
// there are no iterations.
func KnownForecast(past []checkpoint.Metrics, c train.Config) (f Forecast, ok bool) {
	f.Every, f.Games = c.EvaluateEvery, c.GamesPerIteration
	for _, m := range past {
		if m.Evaluation != nil {
			f.Evaluation = m.Seconds.Evaluate
		}
	}
	if len(past) == 0 {
		return f, false
	}
	past = past[max(0, len(past)-10):]
	sum, _ := checkpoint.Spent(past)
	each := (sum.Total - sum.Evaluate) / float64(len(past))
	f.First, f.Grown = each, each
	return f, each > 0
}

// GrowIterations returns selfplay.grow_iterations for a run that ends with the iteration last. With Halfway, it is at
// most half of that: otherwise the searches of a short run would never have their full length.
func (f Forecast) GrowIterations(last int) int {
	if f.Halfway {
		return min(f.Grow, max(1, last/2))
	}
	return f.Grow
}

func (f Forecast) seconds(iteration, last int) float64 {
	share := min(1, float64(iteration-1)/float64(max(1, f.GrowIterations(last))))
	return f.First + float64(share*(f.Grown-f.First))
}

// Left returns the time of iterations done+1 to last, the run's last one.
func (f Forecast) Left(done, last int) time.Duration {
	sum := 0.0
	for i := done + 1; i <= last; i++ {
		sum += f.seconds(i, last)
	}
	return duration(sum) + f.Evaluating(done, last)
}

// Evaluating returns the part of Left that evaluations take.
func (f Forecast) Evaluating(done, last int) time.Duration {
	sum, c := 0.0, train.Config{EvaluateEvery: f.Every, Iterations: last}
	for i := done + 1; i <= last; i++ {
		if c.Evaluates(i) {
			sum += f.Evaluation
		}
	}
	return duration(sum)
}

func duration(seconds float64) time.Duration {
	return time.Duration(min(seconds*float64(time.Second), math.MaxInt64/4))
}

// Iterations returns how many iterations of a new run fit into d, at least 1.
func (f Forecast) Iterations(d time.Duration) int {
	most := int(min(d.Seconds()/min(f.First, f.Grown), checkpoint.MaxIteration-1))
	return 1 + sort.Search(most, func(n int) bool { return f.Left(0, n+2) > d })
}

// shortRun is how many iterations even a short run should have: a network that learns a few times has learned little.
const shortRun = 20

// Within returns the forecast of a new run whose iterations have fewer games, if else less than 20 of them fit into d.
func (f Forecast) Within(d time.Duration) Forecast {
	evaluating := f.Evaluating(0, shortRun)
	share := (d - evaluating).Seconds() / (f.Left(0, shortRun) - evaluating).Seconds()
	games := min(f.Games, max(f.Fewest, int(share*float64(f.Games))))
	share = float64(games) / float64(f.Games)
	f.First, f.Grown, f.Games = f.First*share, f.Grown*share, games
	return f
}

// forecast estimates how long a run's iterations take with these devices. It measures for about two windows: it counts
// evaluations and positions in games without a network, which are quick, and measures speed with the network.
func forecast(ctx context.Context, cfg run.Config, plays, learns *net.Device, window time.Duration) (Forecast, error) {
	f := Forecast{Grow: cfg.Selfplay.GrowIterations, Every: cfg.Train.EvaluateEvery, Games: cfg.Train.GamesPerIteration}
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
	f.Fewest = int(math.Ceil(float64(cfg.Train.BatchSize) / max(1, first.positions)))
	if f.Every > 0 {
		f.Evaluation = m.evaluation(grown.positions, lookups)
	}
	return f, m.err
}

// evaluation returns the seconds of an evaluation whose games have so many plies. The model evaluates lookups positions
// per second.
func (m *measurer) evaluation(plies, lookups float64) float64 {
	c := m.cfg.Eval
	games, cores := float64(c.Games), float64(runtime.GOMAXPROCS(0))
	moves, positions := games*plies/2, c.ExamPositions
	if m.game.Info().Gradable {
		positions += c.GradePositions
	}
	return (moves+float64(positions))*float64(max(1, c.Simulations))/lookups + moves/(cores*m.opponentMoves())
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

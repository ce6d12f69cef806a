package main

import (
	"context"
	"runtime"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"tengen/internal/kernel"
	"tengen/internal/random"
	"tengen/mcts"
	"tengen/net"
	"tengen/replay"
	"tengen/replay/replaytest"
	"tengen/train"
)

// rate runs work on n goroutines, each with a state of its own, for about the given time after one run to warm up, and
// returns how many units were done per second in all. work returns the units it did. start makes the states one after the
// other, because Gorgonia cannot build several graphs at once.
func rate(ctx context.Context, n int, window time.Duration, start func() (work func() (int, error))) (float64, error) {
	works := make([]func() (int, error), n)
	for i := range works {
		works[i] = start()
	}
	var group errgroup.Group
	rates := make([]float64, n)
	for i, work := range works {
		group.Go(func() error {
			if _, err := work(); err != nil {
				return err
			}
			begin, units := time.Now(), 0
			for units == 0 || time.Since(begin) < window {
				if err := ctx.Err(); err != nil {
					return err
				}
				done, err := work()
				if err != nil {
					return err
				}
				units += done
			}
			rates[i] = float64(units) / time.Since(begin).Seconds()
			return nil
		})
	}
	err := group.Wait()
	sum := 0.0
	for _, r := range rates {
		sum += r
	}
	return sum, err
}

func (b bound[S]) benchEvaluations(ctx context.Context, w *net.Weights, batch int, window time.Duration) (float64, error) {
	return rate(ctx, runtime.GOMAXPROCS(0), window, func() func() (int, error) {
		ev := net.NewEvaluator[S](w, batch)
		leaves, values := b.randomPositions(batch), make([]float32, batch)
		priors := make([][]float32, batch)
		for i := range priors {
			priors[i] = make([]float32, b.game.Actions())
		}
		return func() (int, error) { return batch, ev.Evaluate(leaves, priors, values) }
	})
}

// randomPositions returns n positions of random games, none of them over.
func (b bound[S]) randomPositions(n int) []S {
	rng := random.New(1)
	var positions []S
	for s := b.game.Start(); len(positions) < n; {
		positions = append(positions, s)
		legal := s.Legal(nil)
		s = s.Play(legal[rng.IntN(len(legal))])
		if _, over := s.Outcome(); over {
			s = b.game.Start()
		}
	}
	return positions
}

// benchSearch measures the simulations of one search on one core, with up to that many leaves in flight.
func (b bound[S]) benchSearch(ctx context.Context, cfg Config, ev mcts.Evaluator[S], leaves int, window time.Duration) (float64, error) {
	return rate(ctx, 1, window, func() func() (int, error) {
		search := mcts.New[S](cfg.Search, b.game.Actions())
		return func() (int, error) {
			search.Reset(b.game.Start())
			err := mcts.Run(ctx, search, ev, mcts.Budget{Simulations: 800}, leaves)
			return search.Simulations(), err
		}
	})
}

// benchSelfplay plays twice as many games as are played at the same time, and again until the time is over.
func (b bound[S]) benchSelfplay(ctx context.Context, cfg Config, w *net.Weights, window time.Duration, report *benchReport) error {
	pool := b.newGenerator(cfg, w)
	numbers := make([]uint64, 2*pool.seats(cfg))
	var stats train.Stats
	var moves atomic.Int64
	for stats.Duration < window {
		for i := range numbers {
			numbers[i] = uint64(stats.Games + i)
		}
		s, err := pool.Generate(ctx, 0, w, numbers, func(g *replay.Record) error {
			moves.Add(int64(len(g.Moves)))
			return nil
		})
		if err != nil {
			return err
		}
		stats.Games += s.Games
		stats.Duration += s.Duration
		stats.Simulations += s.Simulations
		stats.CacheHits += s.CacheHits
		stats.CacheLookups += s.CacheLookups
	}
	seconds := stats.Duration.Seconds()
	report.SimulationsPerSecond = float64(stats.Simulations) / seconds
	report.SelfplayGamesPerHour = float64(stats.Games) / seconds * 3600
	report.SelfplayCacheHitRate = float64(stats.CacheHits) / float64(max(1, stats.CacheLookups))
	report.SelfplayMovesPerGame = float64(moves.Load()) / float64(stats.Games)
	return nil
}

// benchTraining measures steps of gradient descent on random games: forward, backward and optimizer.
func (b bound[S]) benchTraining(ctx context.Context, cfg Config, w *net.Weights, window time.Duration) (float64, error) {
	samples := replay.NewWindow(b.game, cfg.Replay)
	for number := range uint64(50) {
		if err := samples.Add(replaytest.RandomRecord(b.game, number, random.New(1, number))); err != nil {
			return 0, err
		}
	}
	learner := train.NewLearner(cfg.Train, w, cfg.Seed)
	defer learner.Close()
	return rate(ctx, 1, window, func() func() (int, error) {
		return func() (int, error) {
			_, err := learner.Step(samples, 1)
			return cfg.Train.BatchSize, err
		}
	})
}

// benchPeak measures multiply-adds in registers, in GFLOP/s.
func benchPeak(ctx context.Context, window time.Duration) (float64, error) {
	const rounds = 100_000
	operations, err := rate(ctx, runtime.GOMAXPROCS(0), window, func() func() (int, error) {
		return func() (int, error) { return int(kernel.Peak(rounds)), nil }
	})
	return operations / 1e9, err
}

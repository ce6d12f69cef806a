package run

import (
	"context"
	"fmt"
	"runtime"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"tengen/engine"
	"tengen/internal/kernel"
	"tengen/internal/random"
	"tengen/mcts"
	"tengen/net"
	"tengen/replay"
	"tengen/replay/replaytest"
	"tengen/selfplay"
	"tengen/train"
)

// BenchReport is the speed of this machine, on all cores unless stated.
type BenchReport struct {
	Game                 string          `json:"game"`
	Network              string          `json:"network"`
	Parameters           int             `json:"parameters"`
	Cores                int             `json:"cores"`
	Kernels              string          `json:"kernels"`                // instruction set
	EvaluationsPerSecond map[int]float64 `json:"evaluations_per_second"` // by batch size
	// Gflops counts direct convolutions. Winograd's algorithm needs fewer operations, so Gflops may exceed PeakGflops.
	Gflops                     map[int]float64 `json:"gflops"`
	PeakGflops                 float64         `json:"peak_gflops"` // multiply-adds in registers
	Stages                     []StageSpeed    `json:"stages"`
	TrainSamplesPerSecond      float64         `json:"train_samples_per_second"`
	TrainBatch                 int             `json:"train_batch"`
	SimulationsPerSecond       float64         `json:"simulations_per_second"`        // in self-play
	SearchSimulationsPerSecond float64         `json:"search_simulations_per_second"` // one position, one core
	FreeSimulationsPerSecond   float64         `json:"free_simulations_per_second"`   // the same without a network
	SelfplayGamesPerHour       float64         `json:"selfplay_games_per_hour"`
	SelfplayCacheHitRate       float64         `json:"selfplay_cache_hit_rate"`
	SelfplayMovesPerGame       float64         `json:"selfplay_moves_per_game"`
	SelfplaySimulationsPerMove int             `json:"selfplay_simulations_per_move"`
}

// StageSpeed is the speed of one of kernel.Stages.
type StageSpeed struct {
	Name   string  `json:"name"`
	Gflops float64 `json:"gflops"`
}

// benchLeaves is the number of leaves in flight when searching one position.
const benchLeaves = 8

var benchBatches = []int{1, 8, 32, 128}

// Bench implements Game.
func (e bound[S]) Bench(ctx context.Context, cfg Config, window time.Duration, progress func(text string)) (*BenchReport, error) {
	if err := cfg.Validate(); err != nil {
		return nil, engine.InputError{Err: err}
	}
	if window <= 0 {
		return nil, engine.InputErrorf("the time of a measurement is %v, it must be above 0", window)
	}
	weights := e.weights(cfg)
	r := &BenchReport{
		Game: e.Rules.Name(), Network: cfg.Network(), Parameters: weights.Count(), Cores: runtime.GOMAXPROCS(0),
		Kernels: kernel.Name(), EvaluationsPerSecond: map[int]float64{}, Gflops: map[int]float64{}, TrainBatch: cfg.Train.BatchSize,
		SelfplaySimulationsPerMove: cfg.Search.Simulations,
	}
	peak, err := rate(ctx, r.Cores, window, func() func() (int, error) {
		return func() (int, error) { return int(kernel.Peak(100_000)), nil }
	})
	if err != nil {
		return nil, err
	}
	r.PeakGflops = peak / 1e9
	for _, batch := range benchBatches {
		progress(fmt.Sprintf("evaluations, batch %d", batch))
		rate, err := e.benchEvaluations(ctx, weights, batch, window)
		if err != nil {
			return nil, err
		}
		r.EvaluationsPerSecond[batch] = rate
		r.Gflops[batch] = rate * weights.Flops() / 1e9
	}
	progress("stages")
	if r.Stages, err = benchStages(ctx, weights, window); err != nil {
		return nil, err
	}
	progress("training")
	if r.TrainSamplesPerSecond, err = e.benchTraining(ctx, cfg, weights, window); err != nil {
		return nil, err
	}
	progress("search")
	if r.FreeSimulationsPerSecond, err = e.benchSearch(ctx, cfg, &mcts.Uniform[S]{}, 1, window); err != nil {
		return nil, err
	}
	ev := net.NewEvaluator[S](weights, benchLeaves)
	if r.SearchSimulationsPerSecond, err = e.benchSearch(ctx, cfg, ev, benchLeaves, window); err != nil {
		return nil, err
	}
	progress("self-play")
	return r, e.benchSelfplay(ctx, cfg, weights, window, r)
}

// rate returns units of work per second of n goroutines, over about the window after a warm-up call. work returns its
// units.
func rate(ctx context.Context, n int, window time.Duration, start func() (work func() (int, error))) (float64, error) {
	var group errgroup.Group
	rates := make([]float64, n)
	for i := range rates {
		work := start()
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

func (e bound[S]) benchEvaluations(ctx context.Context, w *net.Weights, batch int, window time.Duration) (float64, error) {
	return rate(ctx, runtime.GOMAXPROCS(0), window, func() func() (int, error) {
		ev := net.NewEvaluator[S](w, batch)
		leaves, values := e.randomPositions(batch), make([]float32, batch)
		priors := make([][]float32, batch)
		for i := range priors {
			priors[i] = make([]float32, e.Rules.Actions())
		}
		return func() (int, error) { return batch, ev.Evaluate(leaves, priors, values) }
	})
}

// benchStages measures a convolution of the trunk's width, on each core alone.
func benchStages(ctx context.Context, w *net.Weights, window time.Duration) ([]StageSpeed, error) {
	channels := w.Config.Channels
	if stack := w.Config.Stack; len(stack) > 0 {
		channels = stack[len(stack)-1]
	}
	stages := func() []kernel.Stage { return kernel.Stages(w.Shape.Height, w.Shape.Width, channels) }
	var speeds []StageSpeed
	for i, s := range stages() {
		speed, err := rate(ctx, runtime.GOMAXPROCS(0), window, func() func() (int, error) {
			compute := stages()[i].Compute
			return func() (int, error) {
				compute()
				return 1, nil
			}
		})
		if err != nil {
			return nil, err
		}
		speeds = append(speeds, StageSpeed{s.Name, speed * s.Operations / 1e9})
	}
	return speeds, nil
}

func (e bound[S]) randomPositions(n int) []S {
	rng := random.New(1, random.Bench)
	var positions []S
	for s := e.Rules.Start(); len(positions) < n; {
		positions = append(positions, s)
		legal := s.Legal(nil)
		s = s.Play(legal[rng.IntN(len(legal))])
		if _, over := s.Outcome(); over {
			s = e.Rules.Start()
		}
	}
	return positions
}

func (e bound[S]) benchSearch(ctx context.Context, cfg Config, ev mcts.Evaluator[S], leaves int, window time.Duration) (float64, error) {
	return rate(ctx, 1, window, func() func() (int, error) {
		search := mcts.New[S](cfg.Search, e.Rules.Actions())
		return func() (int, error) {
			search.Reset(e.Rules.Start())
			search.Begin(800, nil)
			err := mcts.Drive(ctx, []*mcts.Search[S]{search}, []mcts.Evaluator[S]{ev}, mcts.DriveOptions{
				Batch: leaves, InFlight: func(int) int { return leaves },
			})
			return search.Simulations(), err
		}
	})
}

func (e bound[S]) benchSelfplay(ctx context.Context, cfg Config, w *net.Weights, window time.Duration, r *BenchReport) error {
	pool := e.generator(cfg, "")
	numbers := make([]uint64, 2*pool.ParallelGames())
	var stats replay.Stats
	var moves atomic.Int64
	for stats.Duration < window {
		for i := range numbers {
			numbers[i] = uint64(stats.Games + i)
		}
		s, err := pool.Play(ctx, uint64(cfg.Selfplay.GrowIterations), w, selfplay.Numbers(numbers), func(g *replay.Record) error {
			moves.Add(int64(len(g.Moves)))
			return nil
		})
		if err != nil {
			return err
		}
		stats.Add(s)
	}
	seconds := stats.Duration.Seconds()
	r.SimulationsPerSecond = float64(stats.Simulations) / seconds
	r.SelfplayGamesPerHour = float64(stats.Games) / seconds * 3600
	r.SelfplayCacheHitRate = float64(stats.CacheHits) / float64(max(1, stats.CacheLookups))
	r.SelfplayMovesPerGame = float64(moves.Load()) / float64(stats.Games)
	return nil
}

func (e bound[S]) benchTraining(ctx context.Context, cfg Config, w *net.Weights, window time.Duration) (float64, error) {
	samples := e.window(cfg.Replay)
	for number := range uint64(50) {
		if err := samples.Add(replaytest.RandomRecord(e.Rules, number, random.New(1, random.Bench, number))); err != nil {
			return 0, err
		}
	}
	learner := train.NewLearner(cfg.Train, w, cfg.Seed)
	return rate(ctx, 1, window, func() func() (int, error) {
		return func() (int, error) {
			_, err := learner.Step(samples, 1, true)
			return cfg.Train.BatchSize, err
		}
	})
}

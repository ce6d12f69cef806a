package run

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"tengen/engine"
	"tengen/game"
	"tengen/internal/kernel"
	"tengen/internal/random"
	"tengen/mcts"
	"tengen/net"
	"tengen/replay"
	"tengen/replay/replaytest"
	"tengen/selfplay"
	"tengen/selfplay/netplayer"
	"tengen/train"
)

// BenchReport holds this machine's speeds on a number of cores. BenchCores leaves some speeds at 0.
type BenchReport struct {
	Game                 string          `json:"game"`
	Network              string          `json:"network"`
	Parameters           int             `json:"parameters"`
	Cores                int             `json:"cores"`
	Kernels              string          `json:"kernels"`                // instruction set
	EvaluationsPerSecond map[int]float64 `json:"evaluations_per_second"` // by batch size
	// DeviceEvaluationsPerSecond is the same on the device that compute.device names or, with auto, on the first graphics
	// card, with two goroutines.
	Device                     string          `json:"device,omitempty"`
	DeviceEvaluationsPerSecond map[int]float64 `json:"device_evaluations_per_second,omitempty"`
	DeviceTrainSamples         float64         `json:"device_train_samples_per_second,omitzero"`
	DeviceTrainPhases          []PhaseSpeed    `json:"device_train_phases,omitempty"`
	DeviceProblem              string          `json:"device_problem,omitempty"` // why speeds of the device are missing
	// Gflops counts direct convolutions. Winograd's algorithm needs fewer operations, so Gflops may exceed PeakGflops.
	Gflops                     map[int]float64 `json:"gflops"`
	PeakGflops                 float64         `json:"peak_gflops,omitzero"` // multiply-adds in registers
	Stages                     []StageSpeed    `json:"stages,omitempty"`
	TrainSamplesPerSecond      float64         `json:"train_samples_per_second"`
	TrainBatch                 int             `json:"train_batch"`
	TrainPhases                []PhaseSpeed    `json:"train_phases,omitempty"`                 // of a step
	SimulationsPerSecond       float64         `json:"simulations_per_second"`                 // in self-play
	SearchSimulationsPerSecond float64         `json:"search_simulations_per_second,omitzero"` // one position, one core
	FreeSimulationsPerSecond   float64         `json:"free_simulations_per_second,omitzero"`   // the same without a network
	SelfplayGamesPerHour       float64         `json:"selfplay_games_per_hour"`
	SelfplayCacheHitRate       float64         `json:"selfplay_cache_hit_rate"`
	SelfplayMovesPerGame       float64         `json:"selfplay_moves_per_game"`
	SelfplaySimulationsPerMove int             `json:"selfplay_simulations_per_move"`
	Workers                    *WorkersReport  `json:"workers,omitempty"`
}

// StageSpeed is the speed of one of kernel.Stages.
type StageSpeed struct {
	Name   string  `json:"name"`
	Gflops float64 `json:"gflops"`
}

// PhaseSpeed is the time that a phase of a training step takes.
type PhaseSpeed struct {
	Name         string  `json:"name"`
	Milliseconds float64 `json:"milliseconds"`
}

// benchLeaves is the number of leaves that the search of one position evaluates at once.
const benchLeaves = 8

var benchBatches = []int{1, 8, 32, 128}

// Bench implements Game.
func (e typedGame[S]) Bench(ctx context.Context, cfg Config, window time.Duration, progress func(text string)) (*BenchReport, error) {
	if err := cfg.Validate(); err != nil {
		return nil, engine.InputError{Err: err}
	}
	if err := CheckMemory(cfg); err != nil {
		return nil, err
	}
	b := e.newBench(ctx, cfg, window, progress)
	b.PeakGflops = b.rate("peak", b.Cores, func() func() (int, error) {
		return func() (int, error) { return int(kernel.Peak(100_000)), nil }
	}) / 1e9
	for _, batch := range benchBatches {
		b.evaluations(batch)
	}
	b.onDevice(cfg.Compute)
	b.stages()
	b.TrainSamplesPerSecond, b.TrainPhases = b.training(nil)
	b.FreeSimulationsPerSecond = b.search(&mcts.Uniform[S]{}, 1)
	b.SearchSimulationsPerSecond = b.search(net.NewEvaluator[S](b.weights, benchLeaves), benchLeaves)
	player, games, lookups := b.selfplay()
	b.forWorkers(player, games, lookups)
	if player != nil {
		player.Close()
	}
	return b.BenchReport, b.err
}

// bench measures each speed of a report for about the window. After an error, it measures nothing more.
type bench[S game.State[S]] struct {
	*BenchReport
	game     typedGame[S]
	ctx      context.Context // ends the measurements
	cfg      Config
	weights  *net.Weights
	window   time.Duration
	progress func(text string)
	err      error // the first
}

func (e typedGame[S]) newBench(ctx context.Context, cfg Config, window time.Duration, progress func(text string)) *bench[S] {
	w, err := initialWeights(e, cfg, false)
	if err != nil { // such as the model of a run that comes first; weights matter little to speed
		w = e.weights(cfg)
	}
	return &bench[S]{game: e, ctx: ctx, cfg: cfg, weights: w, window: window, progress: progress, BenchReport: &BenchReport{
		Game: e.Rules.Name(), Network: cfg.Network(), Parameters: w.Count(), Cores: runtime.GOMAXPROCS(0),
		Kernels: kernel.Name(), EvaluationsPerSecond: map[int]float64{}, Gflops: map[int]float64{}, TrainBatch: cfg.Train.BatchSize,
		SelfplaySimulationsPerMove: cfg.Search.Simulations,
	}}
}

// rate returns the units of work that n goroutines do per second. start makes each goroutine's work, which returns the
// units it has done. Its first call is a warm-up.
func (b *bench[S]) rate(what string, n int, start func() (work func() (int, error))) (sum float64) {
	if b.err != nil {
		return 0
	}
	b.progress(what)
	var group errgroup.Group
	rates, works := make([]float64, n), make([]func() (int, error), n)
	for i := range works {
		works[i] = start()
	}
	for i, work := range works {
		group.Go(func() error {
			if _, err := work(); err != nil {
				return err
			}
			begin, units := time.Now(), 0
			for units == 0 || time.Since(begin) < b.window {
				if err := b.ctx.Err(); err != nil {
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
	b.err = group.Wait()
	for _, r := range rates {
		sum += r
	}
	return sum
}

func (b *bench[S]) evaluations(batch int) {
	speed := b.evaluate(fmt.Sprintf("evaluations, batch %d", batch), batch, b.Cores, func() *net.Evaluator[S] {
		return net.NewEvaluator[S](b.weights, batch)
	})
	b.EvaluationsPerSecond[batch], b.Gflops[batch] = speed, speed*b.weights.Flops()/1e9
}

// evaluate returns the evaluations per second of some goroutines.
func (b *bench[S]) evaluate(what string, batch, goroutines int, evaluator func() *net.Evaluator[S]) float64 {
	return b.rate(what, goroutines, func() func() (int, error) {
		ev := evaluator()
		leaves, values := b.game.randomPositions(batch), make([]float32, batch)
		priors := make([][]float32, batch)
		for i := range priors {
			priors[i] = make([]float32, b.game.Rules.Actions())
		}
		return func() (int, error) { return batch, ev.Evaluate(leaves, priors, values) }
	})
}

// onDevice measures evaluations and training on the device, if there is one.
func (b *bench[S]) onDevice(cfg ComputeConfig) {
	var problem atomic.Pointer[error]
	warn := func(err error) {
		if !errors.As(err, new(net.Notice)) {
			problem.CompareAndSwap(nil, &err)
		}
	}
	device, err := cfg.Open(warn)
	if err != nil {
		b.err = cmp.Or(b.err, err)
		return
	}
	if cfg.Device == "auto" {
		if cards := net.Cards(warn); len(cards) > 0 {
			device = cards[0]
		}
	}
	if device == nil {
		return
	}
	b.Device, b.DeviceEvaluationsPerSecond = device.Name(), map[int]float64{}
	for _, batch := range []int{32, 128, 512, 2048} {
		speed := b.evaluate(fmt.Sprintf("evaluations on the device, batch %d", batch), batch, 2, func() *net.Evaluator[S] {
			return net.NewEvaluatorOf[S](net.NewServer(device, b.weights, batch), batch)
		})
		device.Close() // frees its memory
		if problem.Load() != nil {
			break // the processor has evaluated
		}
		b.DeviceEvaluationsPerSecond[batch] = speed
	}
	samples, phases := b.training(device)
	if err := problem.Load(); err == nil {
		b.DeviceTrainSamples, b.DeviceTrainPhases = samples, phases
	} else if b.DeviceProblem = (*err).Error(); cfg.Device != "auto" {
		b.err = cmp.Or(b.err, *err)
	}
}

// speeds implements Game.
func (e typedGame[S]) speeds(ctx context.Context, cfg Config, d *net.Device) (speeds, error) {
	b := e.newBench(ctx, cfg, time.Second/2, func(string) {})
	p, next := e.player(cfg), 0
	p.Use(d)
	servers := p.Servers(b.weights)
	defer p.Close()
	workers, games := p.Lockstep()
	positions := b.evaluate("", max(1, min(games, cfg.Train.GamesPerIteration/workers)), workers, func() *net.Evaluator[S] {
		next++
		return net.NewEvaluatorOf[S](servers[(next-1)%len(servers)], games)
	})
	b.cfg.Replay.ExactPlies = 0 // nothing is solved
	samples, _ := b.training(d)
	return speeds{positions, samples}, b.err
}

// stages measures the stages of a convolution with the trunk's width. Each core computes its own convolution.
func (b *bench[S]) stages() {
	shape, channels := b.weights.Shape, b.weights.Config.Channels
	all := func() []kernel.Stage { return kernel.Stages(shape.Height, shape.Width, channels) }
	for i, s := range all() {
		speed := b.rate("a layer's "+s.Name, b.Cores, func() func() (int, error) {
			compute := all()[i].Compute
			return func() (int, error) {
				compute()
				return 1, nil
			}
		})
		b.Stages = append(b.Stages, StageSpeed{s.Name, speed * s.Operations / 1e9})
	}
}

func (e typedGame[S]) randomPositions(n int) []S {
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

func (b *bench[S]) search(ev mcts.Evaluator[S], leaves int) float64 {
	return b.rate("search", 1, func() func() (int, error) {
		search := mcts.New[S](b.cfg.Search, b.game.Rules.Actions())
		return func() (int, error) {
			search.Reset(b.game.Rules.Start())
			search.Begin(800, nil)
			err := mcts.Drive(b.ctx, []*mcts.Search[S]{search}, []mcts.Evaluator[S]{ev}, mcts.DriveOptions{
				Batch: leaves, InFlight: func(int) int { return leaves },
			})
			return search.Simulations(), err
		}
	})
}

// selfplay returns a player, the games that it has played, numbered from 0 on, and the mean evaluations of a game, cached
// or not.
func (b *bench[S]) selfplay() (player *netplayer.Player, games []*replay.Record, lookups float64) {
	if b.err != nil {
		return nil, nil, 0
	}
	b.progress("self-play")
	player = b.game.player(b.cfg)
	device, err := b.cfg.Compute.Open(func(error) {})
	if b.err = err; err != nil {
		return player, nil, 0
	}
	player.Use(device)
	numbers := make([]uint64, 2*player.ParallelGames())
	var stats, s replay.Stats
	var mu sync.Mutex
	moves := 0
	for stats.Duration < b.window && b.err == nil {
		for i := range numbers {
			numbers[i] = uint64(stats.Games + i)
		}
		s, b.err = player.Play(b.ctx, uint64(b.cfg.Selfplay.GrowIterations), b.weights, selfplay.Numbers(numbers), replay.SinkFunc(func(_ string, g *replay.Record) error {
			mu.Lock()
			defer mu.Unlock()
			games, moves = append(games, g), moves+len(g.Moves)
			return nil
		}))
		stats.Add(s)
	}
	seconds := stats.Duration.Seconds()
	b.SimulationsPerSecond = float64(stats.Simulations) / seconds
	b.SelfplayGamesPerHour = float64(stats.Games) / seconds * 3600
	b.SelfplayCacheHitRate = float64(stats.CacheHits) / float64(max(1, stats.CacheLookups))
	b.SelfplayMovesPerGame = float64(moves) / float64(stats.Games)
	return player, games, float64(stats.CacheLookups) / float64(stats.Games)
}

// training returns the samples that a learner takes per second, on a device unless it is nil, and the phases of its steps.
func (b *bench[S]) training(d *net.Device) (samples float64, phases []PhaseSpeed) {
	learner := train.NewLearner(b.cfg.Train, b.weights, b.cfg.Seed)
	defer learner.Close()
	if d != nil {
		learner.Accelerate(d)
	}
	steps := 0
	samples = b.rate("training", 1, func() func() (int, error) {
		samples := b.game.window(b.cfg.Replay)
		for number := range uint64(50) {
			if err := samples.Add(replaytest.RandomRecord(b.game.Rules, number, random.New(1, random.Bench, number))); err != nil {
				return func() (int, error) { return 0, err }
			}
		}
		return func() (int, error) {
			_, err := learner.Step(samples, 1, true)
			if errors.Is(err, net.ErrDeviceLost) { // the processor takes the next step
				err = nil
			}
			steps++
			return b.cfg.Train.BatchSize, err
		}
	})
	for _, p := range learner.Phases() {
		phases = append(phases, PhaseSpeed{p.Name, p.Time.Seconds() * 1000 / float64(steps)})
	}
	return samples, phases
}

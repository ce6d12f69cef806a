package run

import (
	"context"
	"runtime"
	"slices"
	"time"

	"tengen/engine"
	"tengen/internal/kernel"
)

// CoresReport compares the speed on several numbers of cores.
type CoresReport struct {
	Game    string       `json:"game"`
	Network string       `json:"network"`
	Kernels string       `json:"kernels"` // instruction set
	Speeds  []CoresSpeed `json:"speeds"`  // from one core upwards
	// SerialShare is the share of a training step's time on one core that more cores do not shorten, by Amdahl's law
	// from its times on one core and on the most; 0 without a second number of cores.
	SerialShare float64 `json:"training_serial_share"`
}

// CoresSpeed is the speed on a number of cores.
type CoresSpeed struct {
	Cores                 int     `json:"cores"`
	EvaluationsPerSecond  float64 `json:"evaluations_per_second"` // in batches of selfplay.games_per_worker
	TrainSamplesPerSecond float64 `json:"train_samples_per_second"`
	SimulationsPerSecond  float64 `json:"simulations_per_second"` // in self-play
}

// BenchCores implements Game.
func (e bound[S]) BenchCores(ctx context.Context, cfg Config, cores []int, window time.Duration, progress func(text string)) (*CoresReport, error) {
	if err := cfg.Validate(); err != nil {
		return nil, engine.InputError{Err: err}
	}
	for _, n := range cores {
		if n < 1 || n > runtime.NumCPU() {
			return nil, engine.InputErrorf("%s cannot be measured: this process can use 1 to %d", Plural(n, "core"), runtime.NumCPU())
		}
	}
	cores = append([]int{1}, cores...)
	slices.Sort(cores)
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	weights := e.weights(cfg)
	r := &CoresReport{Game: e.Rules.Name(), Network: cfg.Network(), Kernels: kernel.Name()}
	for _, n := range slices.Compact(cores) {
		runtime.GOMAXPROCS(n)
		cfg.Selfplay.Workers = n
		progress(Plural(n, "core"))
		s, b := CoresSpeed{Cores: n}, new(BenchReport)
		var err error
		if s.EvaluationsPerSecond, err = e.benchEvaluations(ctx, weights, cfg.Selfplay.GamesPerWorker, window); err != nil {
			return nil, err
		}
		if s.TrainSamplesPerSecond, err = e.benchTraining(ctx, cfg, weights, window); err != nil {
			return nil, err
		}
		if err := e.benchSelfplay(ctx, cfg, weights, window, b); err != nil {
			return nil, err
		}
		s.SimulationsPerSecond = b.SimulationsPerSecond
		r.Speeds = append(r.Speeds, s)
	}
	first, last := r.Speeds[0], r.Speeds[len(r.Speeds)-1]
	r.SerialShare = serialShare(last.Cores, last.TrainSamplesPerSecond/first.TrainSamplesPerSecond)
	return r, nil
}

// serialShare returns the s of Amdahl's law, speedup = 1 / (s + (1-s)/cores), in [0, 1]; 0 for one core.
func serialShare(cores int, speedup float64) float64 {
	if cores == 1 {
		return 0
	}
	n := float64(cores)
	return min(max(0, (n/speedup-1)/(n-1)), 1)
}

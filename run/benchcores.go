package run

import (
	"context"
	"runtime"
	"slices"
	"time"

	"tengen/engine"
	"tengen/internal/printable"
)

// CoresReport compares the speed on several numbers of cores.
type CoresReport struct {
	Speeds []*BenchReport `json:"speeds"` // from one core upwards
	Batch  int            `json:"batch"`  // positions per evaluation: selfplay.games_per_worker
}

// BenchCores implements Game.
func (e typedGame[S]) BenchCores(ctx context.Context, cfg Config, cores []int, window time.Duration, progress func(text string)) (*CoresReport, error) {
	if err := cfg.Validate(); err != nil {
		return nil, engine.InputError{Err: err}
	}
	for _, n := range cores {
		if n < 1 || n > runtime.NumCPU() {
			return nil, engine.InputErrorf("%s cannot be measured: this process can use 1 to %d", printable.Plural(n, "core"), runtime.NumCPU())
		}
	}
	cores = append([]int{1}, cores...)
	slices.Sort(cores)
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	c := &CoresReport{Batch: cfg.Selfplay.Lockstep()}
	for _, n := range slices.Compact(cores) {
		runtime.GOMAXPROCS(n)
		cfg.Selfplay.Workers = n
		b := e.newBench(ctx, cfg, window, func(what string) { progress(printable.Plural(n, "core") + ", " + what) })
		b.evaluations(c.Batch)
		b.TrainSamplesPerSecond, b.TrainPhases = b.training(nil)
		if player, _, _ := b.selfplay(); player != nil {
			player.Close()
		}
		if b.err != nil {
			return nil, b.err
		}
		c.Speeds = append(c.Speeds, b.BenchReport)
	}
	return c, nil
}

package bench

import (
	"context"
	"runtime"
	"slices"
	"time"

	"tengen/engine"
	"tengen/internal/printable"
	"tengen/run"
)

// CoresReport compares the speed on several numbers of cores.
type CoresReport struct {
	Speeds []*Report `json:"speeds"` // from one core upwards
	Batch  int       `json:"batch"`  // positions per evaluation: selfplay.games_per_worker
}

// Cores is Measure on one core and on each of the given numbers of cores. It measures only training, self-play and
// evaluations in batches of selfplay.games_per_worker. No other goroutine should be busy. It returns an InputError if the
// process cannot use as many cores.
func Cores(ctx context.Context, cfg run.Config, cores []int, window time.Duration, progress func(text string)) (*CoresReport, error) {
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
		m, err := newMeasurer(ctx, cfg, window, func(what string) { progress(printable.Plural(n, "core") + ", " + what) })
		if err != nil {
			return nil, err
		}
		r := m.report()
		m.onCores(r, c.Batch)
		r.TrainSamplesPerSecond, r.TrainPhases = m.training(nil)
		player := m.player()
		m.selfplay(r, player)
		player.Close()
		if m.err != nil {
			return nil, m.err
		}
		c.Speeds = append(c.Speeds, r)
	}
	return c, nil
}

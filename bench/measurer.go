package bench

import (
	"context"
	"errors"
	"time"

	"golang.org/x/sync/errgroup"

	"tengen/engine"
	"tengen/net"
	"tengen/run"
	"tengen/train"
)

// measurer measures each speed of a configuration for about the window. After an error, it measures nothing more.
type measurer struct {
	ctx      context.Context // ends the measurements
	game     run.Game
	cfg      run.Config
	weights  *net.Weights
	window   time.Duration
	progress func(text string) // called before each measurement
	err      error             // the first
}

func newMeasurer(ctx context.Context, cfg run.Config, window time.Duration, progress func(text string)) (*measurer, error) {
	if err := cfg.Validate(); err != nil {
		return nil, engine.InputError{Err: err}
	}
	if err := run.CheckMemory(cfg); err != nil {
		return nil, err
	}
	e, err := run.Open(cfg.Game)
	if err != nil {
		return nil, err
	}
	w, err := run.FirstWeights(e, cfg, false)
	if err != nil { // such as the model of a run that comes first; weights matter little to speed
		w = e.Weights(cfg)
	}
	return &measurer{ctx: ctx, game: e, cfg: cfg, weights: w, window: window, progress: progress}, nil
}

// rate returns the units of work that n goroutines do per second. start makes the work of goroutine i, which returns the
// units that it has done. Its first call is a warm-up.
func (m *measurer) rate(what string, n int, start func(i int) (work func() (int, error))) (sum float64) {
	if m.err != nil {
		return 0
	}
	m.progress(what)
	var group errgroup.Group
	rates, works := make([]float64, n), make([]func() (int, error), n)
	for i := range works {
		works[i] = start(i)
	}
	for i, work := range works {
		group.Go(func() error {
			_, err := work()
			begin, units, done := time.Now(), 0, 0
			for err == nil && (units == 0 || time.Since(begin) < m.window) {
				if err = m.ctx.Err(); err == nil {
					done, err = work()
					units += done
				}
			}
			rates[i] = float64(units) / time.Since(begin).Seconds()
			return err
		})
	}
	m.err = group.Wait()
	for _, r := range rates {
		sum += r
	}
	return sum
}

// evaluations returns the positions that goroutines evaluate per second, on the servers in turn.
func (m *measurer) evaluations(what string, batch, goroutines int, servers ...*net.Server) float64 {
	return m.rate(what, goroutines, func(i int) func() (int, error) {
		evaluate := m.game.Evaluations(servers[i%len(servers)], batch)
		return func() (int, error) { return batch, evaluate() }
	})
}

// training returns the samples that a learner takes per second, on a device unless it is nil, and the phases of its steps.
// Nothing is solved.
func (m *measurer) training(d *net.Device) (samples float64, phases []PhaseSpeed) {
	learner := train.NewLearner(m.cfg.Train, m.weights, m.cfg.Seed)
	defer learner.Close()
	if d != nil {
		learner.Accelerate(d)
	}
	c := m.cfg.Replay
	c.ExactPlies = 0
	window, steps := m.game.Window(c), 0
	samples = m.rate("training", 1, func(int) func() (int, error) {
		added := window.Add(m.game.RandomGames(50)...)
		return func() (int, error) {
			if added != nil {
				return 0, added
			}
			_, err := learner.Step(window, 1, true)
			if errors.Is(err, net.ErrDeviceLost) { // the processor takes the next step
				err = nil
			}
			steps++
			return m.cfg.Train.BatchSize, err
		}
	})
	for _, p := range learner.Phases() {
		phases = append(phases, PhaseSpeed{p.Name, p.Time.Seconds() * 1000 / float64(steps)})
	}
	return samples, phases
}

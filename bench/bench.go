// Package bench measures a machine: how fast it evaluates, searches, plays and learns, how long a run takes, and which
// device computes it best.
//
// It has no type of positions: an engine.Game has the few methods that make the work to be timed. Package run does not
// know this one: a command hands the devices of a Plan to run.Training.Use.
package bench

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"sync/atomic"
	"time"

	"tengen/internal/kernel"
	"tengen/net"
	"tengen/run"
	"tengen/selfplay/netplayer"
)

// Report holds this machine's speeds.
type Report struct {
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
	DeviceProblem              string          `json:"device_problem,omitempty"` // why speeds of the device are missing
	// Gflops counts direct convolutions. Winograd's algorithm needs fewer operations, so Gflops may exceed PeakGflops.
	Gflops                     map[int]float64 `json:"gflops"`
	PeakGflops                 float64         `json:"peak_gflops"` // multiply-adds in registers
	TrainSamplesPerSecond      float64         `json:"train_samples_per_second"`
	TrainBatch                 int             `json:"train_batch"`
	SimulationsPerSecond       float64         `json:"simulations_per_second"`        // in self-play
	SearchSimulationsPerSecond float64         `json:"search_simulations_per_second"` // one position, one core
	FreeSimulationsPerSecond   float64         `json:"free_simulations_per_second"`   // the same without a network
	SelfplayGamesPerHour       float64         `json:"selfplay_games_per_hour"`
	SelfplayCacheHitRate       float64         `json:"selfplay_cache_hit_rate"`
	SelfplayMovesPerGame       float64         `json:"selfplay_moves_per_game"`
	SelfplaySimulationsPerMove int             `json:"selfplay_simulations_per_move"`
	Iteration                  Load            `json:"iteration"`
}

// Measure measures each speed of a valid configuration for about the window, above 0. It calls progress before each
// measurement.
func Measure(ctx context.Context, cfg run.Config, window time.Duration, progress func(text string)) (*Report, error) {
	m, err := newMeasurer(ctx, cfg, window, progress)
	if err != nil {
		return nil, err
	}
	r := &Report{
		Game: m.game.Info().Name, Network: m.cfg.Network(), Parameters: m.weights.Count(), Cores: runtime.GOMAXPROCS(0),
		Kernels: kernel.Name(), EvaluationsPerSecond: map[int]float64{}, Gflops: map[int]float64{}, TrainBatch: m.cfg.Train.BatchSize,
		SelfplaySimulationsPerMove: m.cfg.Search.Simulations,
	}
	r.PeakGflops = m.rate("peak", r.Cores, func(int) func() (int, error) {
		return func() (int, error) { return int(kernel.Peak(100_000)), nil }
	}) / 1e9
	for _, batch := range []int{1, 8, 32, 128} {
		server := net.NewServer(nil, m.weights, batch)
		speed := m.evaluations(fmt.Sprintf("evaluations, batch %d", batch), batch, r.Cores, server)
		r.EvaluationsPerSecond[batch], r.Gflops[batch] = speed, speed*m.weights.Flops()/1e9
	}
	m.onDevice(r)
	r.TrainSamplesPerSecond = m.training(nil)
	r.FreeSimulationsPerSecond, r.SearchSimulationsPerSecond = m.search(nil), m.search(m.weights)
	player := m.player()
	defer player.Close()
	size, games := m.selfplay(r, player)
	lookups := m.lookups(player, games, m.window) // its cache is then about as full as in an iteration
	samples := r.TrainSamplesPerSecond
	if m.cfg.Compute.Device != "auto" { // self-play was on it, too
		samples = cmp.Or(r.DeviceTrainSamples, samples)
	}
	r.Iteration = size.load(m.cfg.Train, lookups, samples)
	return r, m.err
}

// onDevice measures evaluations and training on the device, if there is one.
func (m *measurer) onDevice(r *Report) {
	var problem atomic.Pointer[error]
	warn := func(err error) {
		if !errors.As(err, new(net.Notice)) {
			problem.CompareAndSwap(nil, &err)
		}
	}
	device := m.device(warn)
	if m.cfg.Compute.Device == "auto" {
		if cards := net.Cards(warn); len(cards) > 0 {
			device = cards[0]
		}
	}
	if device == nil || m.err != nil {
		return
	}
	r.Device, r.DeviceEvaluationsPerSecond = device.Name(), map[int]float64{}
	for _, batch := range []int{32, 128, 512, 2048} {
		first, second := net.NewServer(device, m.weights, batch), net.NewServer(device, m.weights, batch)
		speed := m.evaluations(fmt.Sprintf("evaluations on the device, batch %d", batch), batch, 2, first, second)
		device.Close() // frees its memory
		if problem.Load() != nil || m.err != nil {
			break // with a problem, the processor has evaluated
		}
		r.DeviceEvaluationsPerSecond[batch] = speed
	}
	samples := m.training(device)
	if err := problem.Load(); err == nil {
		r.DeviceTrainSamples = samples
	} else if r.DeviceProblem = (*err).Error(); m.cfg.Compute.Device != "auto" {
		m.err = cmp.Or(m.err, *err)
	}
}

// search returns the simulations per second of the search of one position, without a network if w is nil.
func (m *measurer) search(w *net.Weights) float64 {
	return m.rate("search", 1, func(int) func() (int, error) {
		search := m.game.Search(m.cfg.Search, w)
		return func() (int, error) { return search(m.ctx) }
	})
}

// selfplay measures a player. It returns the games' mean size and number. They are numbered from 0 on.
func (m *measurer) selfplay(r *Report, p *netplayer.Player) (gameSize, int) {
	if m.err != nil {
		return gameSize{}, 0
	}
	m.progress("self-play")
	games, stats, err := p.PlayFor(m.ctx, uint64(m.cfg.Selfplay.GrowIterations), m.weights, 0, 2*p.ParallelGames(), math.MaxInt, m.window)
	m.err = err
	moves := 0
	for _, g := range games {
		moves += len(g.Moves)
	}
	seconds := stats.Duration.Seconds()
	r.SimulationsPerSecond = float64(stats.Simulations) / seconds
	r.SelfplayGamesPerHour = float64(len(games)) / seconds * 3600
	r.SelfplayCacheHitRate = float64(stats.CacheHits) / float64(max(1, stats.CacheLookups))
	r.SelfplayMovesPerGame = float64(moves) / float64(len(games))
	return sizeOf(games, stats), len(games)
}

package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"runtime"
	"time"

	"github.com/spf13/cobra"

	"tengen/internal/kernel"
	"tengen/mcts"
	"tengen/net"
)

type benchOptions struct {
	window time.Duration
	json   bool
}

func newBench() *cobra.Command {
	var flags configFlags
	var opt benchOptions
	cmd := &cobra.Command{
		Use:   "bench",
		Short: "Measure this machine with the network of a configuration",
		Long: "bench measures, on all cores, how fast this machine evaluates positions, trains, searches and plays games\n" +
			"against itself with the game, network, search and self-play of a configuration.",
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			cfg, err := flags.load(defaultConfigFile)
			if err != nil {
				return err
			}
			if opt.window <= 0 {
				return usageError{fmt.Errorf("--time is %v, it must be above 0", opt.window)}
			}
			p, err := openGame(cfg.Game)
			if err != nil {
				return usageError{err}
			}
			return p.bench(cmd.Context(), cmd, cfg, opt)
		},
	}
	flags.register(cmd, defaultConfigFile)
	cmd.Flags().DurationVar(&opt.window, "time", 3*time.Second, "how long each measurement takes")
	cmd.Flags().BoolVar(&opt.json, "json", false, "print a JSON object")
	return cmd
}

// benchReport is what bench prints with --json. All cores work, except where it says otherwise.
type benchReport struct {
	Game                 string          `json:"game"`
	Network              string          `json:"network"`
	Parameters           int             `json:"parameters"`
	Cores                int             `json:"cores"`
	Kernels              string          `json:"kernels"`                // instruction set
	EvaluationsPerSecond map[int]float64 `json:"evaluations_per_second"` // by batch size
	// Gflops are those that the evaluations would take if every convolution were computed as it is written down. Winograd's
	// algorithm needs fewer, so they may exceed PeakGflops, which multiply-adds in registers reach.
	Gflops                     map[int]float64 `json:"gflops"`
	PeakGflops                 float64         `json:"peak_gflops"`
	TrainSamplesPerSecond      float64         `json:"train_samples_per_second"`
	TrainBatch                 int             `json:"train_batch"`
	SimulationsPerSecond       float64         `json:"simulations_per_second"`        // in self-play, with the network
	SearchSimulationsPerSecond float64         `json:"search_simulations_per_second"` // of one position with the network, one core
	FreeSimulationsPerSecond   float64         `json:"free_simulations_per_second"`   // with an evaluator that costs nothing, one core
	SelfplayGamesPerHour       float64         `json:"selfplay_games_per_hour"`
	SelfplayCacheHitRate       float64         `json:"selfplay_cache_hit_rate"`
	SelfplayMovesPerGame       float64         `json:"selfplay_moves_per_game"`
	SelfplaySimulationsPerMove int             `json:"selfplay_simulations_per_move"`
}

// benchLeaves is the number of leaves that a search of one position has in flight.
const benchLeaves = 8

// benchBatches are the batch sizes that evaluations are measured at.
var benchBatches = []int{1, 8, 32, 128}

func (b bound[S]) bench(ctx context.Context, cmd *cobra.Command, cfg Config, opt benchOptions) error {
	weights := net.NewWeights(cfg.Net, net.ShapeOf(b.game), cfg.Seed)
	report := benchReport{
		Game: b.game.Name(), Network: describeNet(cfg.Net), Parameters: weights.Count(), Cores: runtime.GOMAXPROCS(0),
		Kernels: kernel.Name(), EvaluationsPerSecond: map[int]float64{}, Gflops: map[int]float64{}, TrainBatch: cfg.Train.BatchSize,
		SelfplaySimulationsPerMove: cfg.Search.Simulations,
	}
	live := newStatusLine(cmd.ErrOrStderr())
	defer live.Clear()
	var err error
	if report.PeakGflops, err = benchPeak(ctx, opt.window); err != nil {
		return err
	}
	for _, batch := range benchBatches {
		live.Set(fmt.Sprintf("evaluations, batch %d", batch))
		rate, err := b.benchEvaluations(ctx, weights, batch, opt.window)
		if err != nil {
			return err
		}
		report.EvaluationsPerSecond[batch] = rate
		report.Gflops[batch] = rate * weights.Flops() / 1e9
	}
	live.Set("training")
	if report.TrainSamplesPerSecond, err = b.benchTraining(ctx, cfg, weights, opt.window); err != nil {
		return err
	}
	live.Set("search")
	if report.FreeSimulationsPerSecond, err = b.benchSearch(ctx, cfg, &mcts.Uniform[S]{}, 1, opt.window); err != nil {
		return err
	}
	ev := net.NewEvaluator[S](weights, benchLeaves)
	if report.SearchSimulationsPerSecond, err = b.benchSearch(ctx, cfg, ev, benchLeaves, opt.window); err != nil {
		return err
	}
	live.Set("self-play")
	if err := b.benchSelfplay(ctx, cfg, weights, opt.window, &report); err != nil {
		return err
	}
	live.Clear()
	if opt.json {
		e := json.NewEncoder(cmd.OutOrStdout())
		e.SetIndent("", "  ")
		return e.Encode(report)
	}
	report.print(cmd.OutOrStdout())
	return nil
}

func (r benchReport) print(w io.Writer) {
	fmt.Fprintf(w, "%s, %s, %s, %s, %s kernels\n\n", r.Game, r.Network, count(r.Parameters, "parameter"), count(r.Cores, "core"), r.Kernels)
	for _, batch := range benchBatches {
		fmt.Fprintf(w, "%-46s %12.0f /s   %5.0f GFLOP/s, %.0f %% of the peak\n", fmt.Sprintf("evaluations, batch %d", batch),
			r.EvaluationsPerSecond[batch], r.Gflops[batch], 100*r.Gflops[batch]/r.PeakGflops)
	}
	fmt.Fprintf(w, "%-46s %12.0f /s\n", fmt.Sprintf("training samples, batch %d", r.TrainBatch), r.TrainSamplesPerSecond)
	fmt.Fprintf(w, "%-46s %12.0f /s\n", "search alone, one core: simulations", r.FreeSimulationsPerSecond)
	fmt.Fprintf(w, "%-46s %12.0f /s\n", "search with the network, one core: simulations", r.SearchSimulationsPerSecond)
	fmt.Fprintf(w, "%-46s %12.0f /s\n", "self-play: simulations", r.SimulationsPerSecond)
	fmt.Fprintf(w, "%-46s %12.0f /h\n", fmt.Sprintf("self-play: games of %.0f moves, %d simulations", r.SelfplayMovesPerGame, r.SelfplaySimulationsPerMove), r.SelfplayGamesPerHour)
	fmt.Fprintf(w, "%-46s %12.0f %%\n", "self-play: found in the cache", 100*r.SelfplayCacheHitRate)
}

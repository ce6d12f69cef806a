package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"runtime"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/sync/errgroup"

	"tengen/internal/random"
	"tengen/mcts"
	"tengen/net"
	"tengen/replay"
	"tengen/train"
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

// benchReport is what bench prints with --json.
type benchReport struct {
	Game                       string          `json:"game"`
	Network                    string          `json:"network"`
	Parameters                 int             `json:"parameters"`
	Cores                      int             `json:"cores"`
	EvaluationsPerSecond       map[int]float64 `json:"evaluations_per_second"` // by batch size
	TrainSamplesPerSecond      float64         `json:"train_samples_per_second"`
	TrainBatch                 int             `json:"train_batch"`
	SimulationsPerSecond       float64         `json:"simulations_per_second"`      // in self-play, with the network
	FreeSimulationsPerSecond   float64         `json:"free_simulations_per_second"` // with an evaluator that costs nothing, one core
	SelfplayGamesPerHour       float64         `json:"selfplay_games_per_hour"`
	SelfplayCacheHitRate       float64         `json:"selfplay_cache_hit_rate"`
	SelfplayMovesPerGame       float64         `json:"selfplay_moves_per_game"`
	SelfplaySimulationsPerMove int             `json:"selfplay_simulations_per_move"`
}

// benchBatches are the batch sizes that evaluations are measured at.
var benchBatches = []int{1, 8, 32, 128}

func (b bound[S]) bench(ctx context.Context, cmd *cobra.Command, cfg Config, opt benchOptions) error {
	weights := net.NewWeights(cfg.Net, net.ShapeOf(b.game), cfg.Seed)
	report := benchReport{
		Game: b.game.Name(), Network: describeNet(cfg.Net), Parameters: weights.Count(), Cores: runtime.GOMAXPROCS(0),
		EvaluationsPerSecond: map[int]float64{}, TrainBatch: cfg.Train.BatchSize,
		SelfplaySimulationsPerMove: cfg.Search.Simulations,
	}
	live := newStatusLine(cmd.ErrOrStderr())
	defer live.Clear()
	for _, batch := range benchBatches {
		live.Set(fmt.Sprintf("evaluations, batch %d", batch))
		rate, err := b.benchEvaluations(ctx, weights, batch, opt.window)
		if err != nil {
			return err
		}
		report.EvaluationsPerSecond[batch] = rate
	}
	live.Set("training")
	var err error
	if report.TrainSamplesPerSecond, err = b.benchTraining(ctx, cfg, weights, opt.window); err != nil {
		return err
	}
	live.Set("search")
	if report.FreeSimulationsPerSecond, err = b.benchSearch(ctx, cfg, opt.window); err != nil {
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

// benchSearch measures the search's own speed on one core.
func (b bound[S]) benchSearch(ctx context.Context, cfg Config, window time.Duration) (float64, error) {
	return rate(ctx, 1, window, func() func() (int, error) {
		search := mcts.New[S](cfg.Search, b.game.Actions())
		free := &mcts.Uniform[S]{}
		return func() (int, error) {
			search.Reset(b.game.Start())
			err := mcts.Run(ctx, search, free, mcts.Budget{Simulations: 800}, 1)
			return search.Simulations(), err
		}
	})
}

// benchSelfplay plays twice as many games as are played at the same time, and again until the time is over.
func (b bound[S]) benchSelfplay(ctx context.Context, cfg Config, w *net.Weights, window time.Duration, report *benchReport) error {
	pool := b.newGenerator(cfg, w)
	games := 2 * pool.seats(cfg)
	var stats train.Stats
	var played, moves int
	for first := uint64(0); stats.Duration < window; first += uint64(games) {
		finished, s, err := pool.Generate(ctx, 0, w, first, games, nil)
		if err != nil {
			return err
		}
		for _, g := range finished {
			moves += len(g.Moves)
		}
		played += len(finished)
		stats.Duration += s.Duration
		stats.Simulations += s.Simulations
		stats.CacheHits += s.CacheHits
		stats.CacheLookups += s.CacheLookups
	}
	seconds := stats.Duration.Seconds()
	report.SimulationsPerSecond = float64(stats.Simulations) / seconds
	report.SelfplayGamesPerHour = float64(played) / seconds * 3600
	report.SelfplayCacheHitRate = float64(stats.CacheHits) / float64(max(1, stats.CacheLookups))
	report.SelfplayMovesPerGame = float64(moves) / float64(played)
	return nil
}

func (r benchReport) print(w io.Writer) {
	fmt.Fprintf(w, "%s, %s, %s, %s\n\n", r.Game, r.Network, count(r.Parameters, "parameter"), count(r.Cores, "core"))
	for _, batch := range benchBatches {
		fmt.Fprintf(w, "%-42s %12.0f /s\n", fmt.Sprintf("evaluations, batch %d", batch), r.EvaluationsPerSecond[batch])
	}
	fmt.Fprintf(w, "%-42s %12.0f /s\n", fmt.Sprintf("training samples, batch %d", r.TrainBatch), r.TrainSamplesPerSecond)
	fmt.Fprintf(w, "%-42s %12.0f /s\n", "search alone, one core: simulations", r.FreeSimulationsPerSecond)
	fmt.Fprintf(w, "%-42s %12.0f /s\n", "self-play: simulations", r.SimulationsPerSecond)
	fmt.Fprintf(w, "%-42s %12.0f /h\n", fmt.Sprintf("self-play: games of %.0f moves, %d simulations", r.SelfplayMovesPerGame, r.SelfplaySimulationsPerMove), r.SelfplayGamesPerHour)
	fmt.Fprintf(w, "%-42s %12.0f %%\n", "self-play: found in the cache", 100*r.SelfplayCacheHitRate)
}

// benchTraining measures steps of gradient descent on random games: forward, backward and optimizer.
func (b bound[S]) benchTraining(ctx context.Context, cfg Config, w *net.Weights, window time.Duration) (float64, error) {
	samples := replay.NewWindow(b.game, cfg.Replay)
	for number := range uint64(50) {
		if err := samples.Add(b.randomGame(number)); err != nil {
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

// randomGame is a game of random moves, in the form of a self-play game.
func (b bound[S]) randomGame(number uint64) *replay.Game {
	rng := random.New(1, number)
	g := &replay.Game{Number: number, ResignPly: -1}
	policy := make([]float32, b.game.Actions())
	s := b.game.Start()
	for {
		if z, over := s.Outcome(); over {
			g.Outcome = int8(z)
			if len(g.Moves)%2 == 1 {
				g.Outcome = -g.Outcome
			}
			return g
		}
		legal := s.Legal(nil)
		clear(policy)
		for _, a := range legal {
			policy[a] = 1
		}
		g.Visits.Append(policy)
		g.Values = append(g.Values, 0)
		a := legal[rng.IntN(len(legal))]
		g.Moves = append(g.Moves, a)
		s = s.Play(a)
	}
}

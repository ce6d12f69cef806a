package cli

import (
	"context"
	"errors"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"tengen/bench"
	"tengen/doors/metrics"
	"tengen/doors/web"
	"tengen/doors/web/runs"
	"tengen/engine"
	"tengen/run"
	"tengen/train"
	"tengen/train/checkpoint"
)

func newTrain() *cobra.Command {
	var flags configFlags
	var dir, listen, pages string
	var wanted time.Duration
	cmd := &cobra.Command{
		Use:         "train",
		Short:       "Train a player, or continue a run",
		Annotations: map[string]string{stopsWith: "stopped: the same command continues after the last iteration"},
		RunE: func(cmd *cobra.Command, _ []string) error {
			if _, _, err := net.SplitHostPort(pages); pages != "" && err != nil {
				return usageErrorf("--http %q: write host:port, such as 127.0.0.1:7070", pages)
			}
			if listen != "" {
				flags.set = append(flags.set, "cluster.listen="+listen)
			}
			cfg, dir, err := flags.forRun(dir)
			if err != nil {
				return err
			}
			if !cmd.Flags().Changed("for") || checkpoint.IsRun(dir) {
				wanted = 0
			} else if err := flags.checkFor(cfg, wanted); err != nil {
				return err
			}
			return runTraining(cmd, cfg, dir, pages, wanted)
		},
	}
	cmd.Flags().StringVar(&listen, "listen", "", "`address`, host:port, for workers on other machines (cluster.listen)")
	cmd.Flags().StringVar(&pages, "http", "", "`address`, host:port, of pages that show the run, see tengen serve")
	cmd.Flags().DurationVar(&wanted, "for", 0, "approximate duration of a new run, such as 20m or 8h; sets train.iterations")
	logFlag(cmd)
	flags.register(cmd, defaultConfigFile)
	cmd.Flags().StringVar(&dir, "run", "", "run `directory` (default checkpoints/ and the name of the configuration file or game)")
	complete(cmd, "run", func(string) []string { return engine.RunsHere() })
	return cmd
}

// forRun returns the configuration and directory of a run. An empty dir is named after the configuration file or game.
// Given keys override the settings in a run's run.yaml. If --run names a run, config.yaml is not read.
func (f *configFlags) forRun(dir string) (cfg run.Config, _ string, err error) {
	fallback := defaultConfigFile
	if dir == "" {
		if cfg, err = f.load(fallback); err != nil {
			return cfg, dir, err
		}
		e, err := run.Open(cfg.Game)
		if err != nil {
			return cfg, dir, err
		}
		dir = filepath.Join("checkpoints", runName(f.file, e.Info().Name))
	} else if checkpoint.IsRun(dir) {
		fallback = ""
	}
	base := run.DefaultConfig()
	if checkpoint.IsRun(dir) {
		if base, _, err = run.ReadConfig(dir); err != nil {
			return cfg, dir, err
		}
	}
	cfg, _, err = f.read(base, fallback)
	return cfg, dir, err
}

// checkFor returns an error if --for does not apply to a new run.
func (f *configFlags) checkFor(cfg run.Config, wanted time.Duration) error {
	const key = "train.iterations"
	set := slices.ContainsFunc(f.set, func(s string) bool { return strings.HasPrefix(strings.ToLower(s), key+"=") })
	switch {
	case wanted <= 0:
		return usageErrorf("--for is %v, but must be above 0", wanted)
	case set || os.Getenv(variable(key)) != "":
		return usageErrorf("--for chooses %s, which is set to %d: leave one of them out", key, cfg.Train.Iterations)
	case cfg.Cluster.Distributed():
		return usageErrorf("--for measures only this machine, but cluster.listen adds workers: set %s instead", key)
	}
	return nil
}

// forecastTime is how long the measurements of a forecast take.
var forecastTime = time.Second

// planRest returns the plan for the rest of an open run.
func planRest(ctx context.Context, cfg run.Config, dir string, t *run.Training, warn func(error)) (bench.Plan, error) {
	if t.Iteration() >= cfg.Train.Iterations {
		return bench.Plan{}, nil
	}
	past, err := checkpoint.ReadMetrics(dir)
	if err != nil {
		return bench.Plan{}, err
	}
	left := func(f bench.Forecast) time.Duration { return f.Left(t.Iteration(), cfg.Train.Iterations) }
	return bench.NewPlan(ctx, cfg, past, left, forecastTime, warn)
}

func runName(file, game string) string {
	name := strings.TrimSuffix(filepath.Base(file), filepath.Ext(file))
	if file == "" || name == "config" {
		name = strings.NewReplacer(":", "-", ",", "x").Replace(game)
	}
	return name
}

// trainDisplay shows a training run: progress for people, trainLog for log collectors.
type trainDisplay interface {
	begin(t *run.Training, dir string, cfg run.Config)
	expect(left time.Duration, iterations int)
	device(text string)
	showJoin(run.JoinInfo)
	watch(page string)
	observe(train.Event)
	warn(error)
	end(t *run.Training, dir string, interrupted bool)
}

func newTrainDisplay(cmd *cobra.Command) trainDisplay {
	if log := logger(cmd); log != nil {
		return &trainLog{log: log}
	}
	return newProgress(cmd.OutOrStdout(), cmd.ErrOrStderr())
}

// runTraining trains until the run is done or stopped. A wanted time above 0 determines the iterations of a new run.
func runTraining(cmd *cobra.Command, cfg run.Config, dir, pages string, wanted time.Duration) (err error) {
	ctx, cancel := context.WithCancel(cmd.Context())
	defer cancel()
	display, live, feed := newTrainDisplay(cmd), runs.NewLive(dir), new(metrics.Feed)
	live.Stop = cancel
	warn := func(err error) {
		display.warn(err)
		feed.Warn(err)
	}
	var plan bench.Plan
	if wanted > 0 {
		if plan, err = bench.NewPlan(ctx, cfg, nil, func(bench.Forecast) time.Duration { return wanted }, forecastTime, warn); err != nil {
			return err
		}
		cfg.Train.Iterations = plan.Iterations(wanted)
	}
	t, err := run.Train(ctx, run.TrainConfig{
		Config: cfg,
		Dir:    dir,
		Observe: func(e train.Event) {
			display.observe(e)
			live.Observe(e)
			feed.Observe(e)
		},
		Warn: warn,
	})
	if err != nil {
		return err
	}
	display.begin(t, dir, cfg)
	if wanted == 0 {
		if plan, err = planRest(ctx, cfg, dir, t, warn); err != nil && ctx.Err() == nil {
			warn(err)
		}
	}
	t.Use(plan.Plays, plan.Learns)
	display.device(plan.Text)
	if left := plan.Left(t.Iteration(), cfg.Train.Iterations); left > 0 && !t.Distributed() {
		display.expect(left, cfg.Train.Iterations-t.Iteration())
	}
	if i, ok := t.JoinInfo(); ok {
		display.showJoin(i)
	}
	stop := func() error { return nil }
	if pages != "" {
		options := web.Default()
		options.Warn, options.Mount = warn, watch(feed)
		feed.Device = t.Device
		if t.Distributed() {
			feed.Workers, feed.GamesProgress = t.Workers, t.GamesProgress
		}
		var page string
		if page, stop, err = web.ServeTraining(pages, live, t, options); err != nil {
			return errors.Join(err, t.Close())
		}
		display.watch(page)
	}
	err = t.Run(ctx)
	display.end(t, dir, ctx.Err() != nil)
	if ctx.Err() != nil && errors.Is(err, ctx.Err()) {
		err = nil
	}
	return errors.Join(err, stop(), t.Close())
}

package cli

import (
	"context"
	"errors"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"tengen/doors/metrics"
	"tengen/doors/web"
	"tengen/run"
	"tengen/train"
	"tengen/train/checkpoint"
)

func newTrain() *cobra.Command {
	var flags configFlags
	var dir, listen, pages string
	cmd := &cobra.Command{
		Use:   "train",
		Short: "Train a player, or continue a run",
		Long: "train plays games against itself, learns from them and publishes models, until\n" +
			"the iterations of the configuration are done. Ctrl-C stops it; the same\n" +
			"command continues where it stopped. A run keeps its settings in run.yaml; a\n" +
			"key given in a file, in the environment or by --set overrides it.",
		Example: "  tengen train\n" +
			"  tengen train --config examples/tictactoe.yaml\n" +
			"  tengen train --run checkpoints/mine --set net.channels=64 --set seed=7",
		RunE: func(cmd *cobra.Command, _ []string) error {
			if listen != "" {
				flags.set = append(flags.set, "cluster.listen="+listen)
			}
			cfg, dir, err := flags.forRun(dir)
			if err != nil {
				return err
			}
			return runTraining(cmd, cfg, dir, pages)
		},
	}
	cmd.Flags().StringVar(&listen, "listen", "", "`address`, host:port, at which workers on other machines join (cluster.listen)")
	cmd.Flags().StringVar(&pages, "http", "", "`address`, host:port, at which a browser can watch the run, see tengen serve")
	logFlag(cmd)
	flags.register(cmd, defaultConfigFile)
	cmd.Flags().StringVar(&dir, "run", "", "run `directory` (default checkpoints/ and the name of the configuration file or game)")
	complete(cmd, "run", func(string) []string { return run.RunsHere() })
	return cmd
}

// forRun returns the configuration and directory of a run. An empty dir is named after the configuration file or game.
// Given keys override the settings of a run that has begun. If --run names such a run, config.yaml is not read.
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
	} else if checkpoint.Begun(dir) {
		fallback = ""
	}
	if err := run.CheckLayout(dir); err != nil {
		return cfg, dir, err
	}
	base := run.DefaultConfig()
	if checkpoint.Begun(dir) {
		if base, _, err = run.ReadConfig(dir); err != nil {
			return cfg, dir, err
		}
	}
	cfg, _, err = f.read(base, fallback)
	return cfg, dir, err
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
	begin(t *run.Training, dir string)
	invite(run.Invitation)
	watch(page string)
	observe(train.Event)
	warn(error)
	end(t *run.Training, dir string, interrupted bool)
}

func newTrainDisplay(cmd *cobra.Command, cfg run.Config) trainDisplay {
	if log := logger(cmd); log != nil {
		return &trainLog{log: log, cfg: cfg}
	}
	return newProgress(cmd.OutOrStdout(), cmd.ErrOrStderr(), cfg)
}

func runTraining(cmd *cobra.Command, cfg run.Config, dir, pages string) error {
	ctx, cancel := context.WithCancel(cmd.Context())
	defer cancel()
	display, live := newTrainDisplay(cmd, cfg), web.NewLive(dir)
	live.Stop = cancel
	feed := new(metrics.Feed)
	warn := func(err error) {
		display.warn(err)
		feed.Warn(err)
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
	display.begin(t, dir)
	if i, ok := t.Invitation(); ok {
		display.invite(i)
	}
	stop := func() error { return nil }
	if pages != "" {
		options := web.Default()
		options.Warn, options.Mount = warn, watch(feed)
		if t.Distributed() {
			feed.Workers, feed.Pool = t.Workers, t.Pool
		}
		var page string
		if page, stop, err = live.Serve(pages, t, options); err != nil {
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

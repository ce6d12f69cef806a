package cli

import (
	"context"
	"errors"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"tengen/doors/metrics"
	"tengen/doors/web"
	"tengen/run"
	"tengen/train"
)

func newTrain() *cobra.Command {
	var flags configFlags
	var dir, listen, pages string
	cmd := &cobra.Command{
		Use:   "train",
		Short: "Train a player, or go on with a run",
		Long: "train plays games against itself, learns from them and publishes models, until\n" +
			"the iterations of the configuration are done. Ctrl-C stops it; the same\n" +
			"command continues where it stopped.",
		Example: "  tengen train\n" +
			"  tengen train --config examples/tictactoe.yaml\n" +
			"  tengen train --run checkpoints/mine --set net.channels=64 --set seed=7",
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			file := defaultConfigFile
			if saved := filepath.Join(dir, defaultConfigFile); dir != "" && flags.file == "" && fileExists(saved) {
				if err := run.CheckLayout(dir); err != nil { // before the configuration is checked
					return err
				}
				file = saved
			}
			if listen != "" {
				flags.set = append(flags.set, "cluster.listen="+strconv.Quote(listen))
			}
			cfg, err := flags.load(file)
			if err != nil {
				return err
			}
			e, err := run.Open(cfg.Game)
			if err != nil {
				return err
			}
			if dir == "" {
				dir = filepath.Join("checkpoints", runName(flags.file, e.Info().Name))
			}
			return runTraining(cmd.Context(), cmd, e, cfg, dir, pages)
		},
	}
	cmd.Flags().StringVar(&listen, "listen", "", "`address`, host:port, at which workers on other machines join (cluster.listen)")
	cmd.Flags().StringVar(&pages, "http", "", "`address`, host:port, at which a browser can watch the run, see tengen serve")
	logFlag(cmd)
	flags.register(cmd, "the run directory's, or "+defaultConfigFile)
	cmd.Flags().StringVar(&dir, "run", "", "run `directory` (default checkpoints/ and the name of the configuration file or game)")
	complete(cmd, "run", func(string) []string { return run.RunsHere() })
	return cmd
}

// runName names a run without a name after its configuration file or its game.
func runName(file, game string) string {
	name := strings.TrimSuffix(filepath.Base(file), filepath.Ext(file))
	if file == "" || name == "config" {
		name = strings.NewReplacer(":", "-", ",", "x").Replace(game)
	}
	return name
}

// trainDisplay shows a training run: progress to people, trainLog to log collectors.
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

func runTraining(ctx context.Context, cmd *cobra.Command, g run.Game, cfg run.Config, dir, pages string) error {
	display, live := newTrainDisplay(cmd, cfg), web.NewLive(dir)
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

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"tengen/engine"
	"tengen/train"
	"tengen/web"
)

func newTrain() *cobra.Command {
	var flags configFlags
	var dir, listen, pages string
	cmd := &cobra.Command{
		Use:   "train",
		Short: "Train a player, or go on with a run",
		Long: "train plays games against itself, learns from them and publishes models, until the iterations of the\n" +
			"configuration are done. Ctrl-C stops it; the same command goes on where the run directory stopped.",
		Example: "  tengen train\n" +
			"  tengen train --config examples/tictactoe.yaml\n" +
			"  tengen train --run checkpoints/mine --set net.channels=64 --set seed=7",
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			load, file := flags.load, defaultConfigFile
			if saved := filepath.Join(dir, defaultConfigFile); dir != "" && flags.file == "" && fileExists(saved) {
				load, file = flags.loadRun, saved
			}
			if listen != "" {
				flags.set = append(flags.set, "cluster.listen="+strconv.Quote(listen))
			}
			cfg, err := load(file)
			if err != nil {
				return err
			}
			e, err := engine.Open(cfg.Game)
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
	flags.register(cmd, "that of the run directory, or "+defaultConfigFile)
	cmd.Flags().StringVar(&dir, "run", "", "run `directory` (default checkpoints/ and the name of the configuration file or game)")
	complete(cmd, "run", func(string) []string { return engine.RunsHere() })
	return cmd
}

// runName is the name of a run that was not given any: that of its configuration file, or of its game.
func runName(file, game string) string {
	name := strings.TrimSuffix(filepath.Base(file), filepath.Ext(file))
	if file == "" || name == "config" {
		name = strings.NewReplacer(":", "-", ",", "x").Replace(game)
	}
	return name
}

func runTraining(ctx context.Context, cmd *cobra.Command, e engine.Engine, cfg engine.Config, dir, pages string) error {
	progress, live := newProgress(cmd.OutOrStdout(), cfg), web.NewLive(dir)
	warn := func(err error) {
		progress.warn(cmd.ErrOrStderr(), err)
		live.Warn(err)
	}
	t, err := e.Train(ctx, engine.TrainConfig{
		Config: cfg,
		Dir:    dir,
		Observe: func(e train.Event) {
			progress.observe(e)
			live.Observe(e)
		},
		Warn: warn,
	})
	if err != nil {
		return err
	}
	progress.begin(t, dir)
	invite(cmd.OutOrStdout(), t)
	stop := func() error { return nil }
	if pages != "" {
		options := web.Default()
		options.Warn = warn
		var page string
		if page, stop, err = live.Serve(pages, t, options); err != nil {
			return errors.Join(err, t.Close())
		}
		fmt.Fprintf(cmd.OutOrStdout(), "watch it at %s\n", page)
	}
	err = t.Run(ctx)
	progress.end(t, dir, ctx.Err() != nil)
	if ctx.Err() != nil && errors.Is(err, ctx.Err()) {
		err = nil
	}
	return errors.Join(err, stop(), t.Close())
}

// invite prints how workers join a run, if they can.
func invite(out io.Writer, t *engine.Training) {
	i, ok := t.Invitation()
	if !ok {
		return
	}
	if i.Run != "" {
		fmt.Fprintf(out, "games are on %s as run %s; workers join with\n", i.Server, i.Run)
	} else {
		fmt.Fprintf(out, "listening at %s, the token is in %s; workers with a copy of it join with\n", i.Server, i.Token)
	}
	fmt.Fprintln(out, "  "+i.Command)
}

package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"tengen/net"
	"tengen/replay"
	"tengen/train"
)

func newTrain() *cobra.Command {
	var flags configFlags
	var dir, listen string
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
			fallback := defaultConfigFile
			if dir != "" && flags.file == "" {
				if saved := filepath.Join(dir, defaultConfigFile); fileExists(saved) {
					fallback = saved
				}
			}
			if listen != "" {
				flags.set = append(flags.set, "cluster.listen="+strconv.Quote(listen))
			}
			cfg, err := flags.load(fallback)
			if err != nil {
				return err
			}
			p, err := openGame(cfg.Game)
			if err != nil {
				return usageError{err}
			}
			cfg.Game = p.name()
			if dir == "" {
				dir = filepath.Join("checkpoints", runName(flags.file, cfg))
			}
			return p.train(cmd.Context(), cmd, cfg, dir)
		},
	}
	cmd.Flags().StringVar(&listen, "listen", "", "`address`, host:port, at which workers on other machines join (cluster.listen)")
	flags.register(cmd, "that of the run directory, or "+defaultConfigFile)
	cmd.Flags().StringVar(&dir, "run", "", "run `directory` (default checkpoints/ and the name of the configuration file or game)")
	return cmd
}

func fileExists(name string) bool {
	_, err := os.Stat(name)
	return err == nil
}

// runName is the name of a run that was not given any: that of its configuration file, or of its game.
func runName(file string, cfg Config) string {
	name := strings.TrimSuffix(filepath.Base(file), filepath.Ext(file))
	if file == "" || name == "config" {
		name = strings.NewReplacer(":", "-", ",", "x").Replace(cfg.Game)
	}
	return name
}

func (b bound[S]) train(ctx context.Context, cmd *cobra.Command, cfg Config, path string) error {
	judge, err := b.newJudge(cfg, path)
	if err != nil {
		return err
	}
	dir, err := train.OpenDir(path, cfg.yaml(), func(saved []byte) error { return compatible(saved, cfg) })
	if err != nil {
		return err
	}
	defer dir.Close()
	progress := newProgress(cmd.OutOrStdout(), cfg)
	warn := func(err error) { progress.warn(cmd.ErrOrStderr(), err) }
	log, err := openServerLog(ctx, path, cfg.Cluster, func(message string) { warn(errors.New(message)) })
	if err != nil {
		return err
	}
	defer log.Close()
	weights := net.NewWeights(cfg.Net, net.ShapeOf(b.game), cfg.Seed)
	games, err := b.source(ctx, cfg, path, log, weights, warn)
	if err != nil {
		return err
	}
	defer games.Close()
	search, err := json.Marshal(cfg.Search)
	if err != nil {
		return err
	}
	loop, err := train.New(ctx, train.Setup{
		Config:  cfg.Train,
		Game:    b.game.Name(),
		Seed:    cfg.Seed,
		Search:  search,
		Weights: weights,
		Dir:     dir,
		Window:  replay.NewWindow(b.game, cfg.Replay),
		Games:   games,
		Judge:   judge,
		Observe: progress.observe,
		Warn:    warn,
	})
	if err != nil {
		return err
	}
	defer loop.Close()
	progress.begin(b.game.Name(), describeNet(cfg.Net), weights.Count(), path, loop.Iteration())
	if c, ok := games.(*coordination); ok {
		progress.workers = c.Workers
		invite(cmd.OutOrStdout(), path, cfg.Cluster, log)
	}
	err = games.run(ctx, loop)
	progress.end(path, loop.Iteration(), ctx.Err() != nil)
	if ctx.Err() != nil && errors.Is(err, ctx.Err()) {
		return nil
	}
	return err
}

// freeKeys are the keys that may change while a run goes on, and those below them: they change its length, its speed and
// its measurements, not what is learned. (The decay of the learning rate stretches to the new length. The workers of a cluster
// do change what is learned; a server that does not have the run's games is found out when it goes on.)
var freeKeys = []string{
	"train.iterations", "train.evaluate_every", "train.keep",
	"selfplay.workers", "selfplay.games", "selfplay.cache_megabytes", "eval", "cluster",
}

// compatible refuses to go on with a run under a configuration that would make another run of it.
func compatible(saved []byte, cfg Config) error {
	old, err := parseConfig(saved)
	if err != nil {
		return fmt.Errorf("its own configuration cannot be read: %w", err)
	}
	before := old.settings()
	for i, now := range cfg.settings() {
		free := slices.ContainsFunc(freeKeys, func(k string) bool {
			return now.key == k || strings.HasPrefix(now.key, k+".")
		})
		if matches := cfg.Train.Gate.Games > 0; matches && strings.HasPrefix(now.key, "eval.") {
			free = now.key != "eval.simulations" && now.key != "eval.opening_plies" // they are those of the gate as well
		}
		if !free && now.value != before[i].value {
			return fmt.Errorf("%s is %s there and %s here: leave it as it was, or choose another directory with --run",
				now.key, before[i].value, now.value)
		}
	}
	return nil
}

// describeNet is a network in a few words.
func describeNet(c net.Config) string {
	if len(c.Stack) > 0 {
		return "convolutions of " + strings.ReplaceAll(strings.Trim(fmt.Sprint(c.Stack), "[]"), " ", ", ") + " channels"
	}
	return fmt.Sprintf("%s of %s", count(c.Blocks, "block"), count(c.Channels, "channel"))
}

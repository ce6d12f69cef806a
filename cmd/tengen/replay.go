package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"tengen/cluster"
	"tengen/replay"
)

func newReplay() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "replay",
		Short: "Look into the games that a run has played",
		Long: "replay reads the log of games in a run directory, while no training is at work there. (A log on a server elsewhere\n" +
			"can be read at any time.) Opening the log repairs what is damaged in its files, as training does, and warns of it;\n" +
			"nothing else is changed.",
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newReplayStats(), newReplayVerify(), newReplayShow(), newReplayExport())
	return cmd
}

// exactArgs refuses a command line that does not have one argument for each of names.
func exactArgs(names ...string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		switch {
		case len(args) < len(names):
			return usageError{fmt.Errorf("%s is missing (see %s --help)", names[len(args)], cmd.CommandPath())}
		case len(args) > len(names):
			return usageError{fmt.Errorf("unknown argument %q (see %s --help)", args[len(names)], cmd.CommandPath())}
		}
		return nil
	}
}

// openRun opens the log of the run in a directory, which must be there, and the game that the run's configuration names.
// report is told what the log's server finds damaged.
func openRun(ctx context.Context, dir string, report func(message string)) (program, *gameLog, error) {
	name := filepath.Join(dir, defaultConfigFile)
	content, err := os.ReadFile(name)
	if err != nil {
		return nil, nil, fmt.Errorf("%s is no run directory: %w", dir, err)
	}
	cfg, err := parseConfig(content)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", name, err)
	}
	p, err := openGame(cfg.Game)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", name, err)
	}
	server := cfg.Cluster
	if server.Server == "" {
		server = cluster.Default() // opens no port
		if !fileExists(filepath.Join(dir, gamesFolder)) {
			return nil, nil, fmt.Errorf("%s has no games: there is no folder %s", dir, filepath.Join(dir, gamesFolder))
		}
	}
	log, err := openServerLog(ctx, dir, server, report)
	if err != nil {
		return nil, nil, fmt.Errorf("cannot read the games of %s: %w", dir, err)
	}
	return p, log, nil
}

// warner returns a function that writes warnings to the standard error of cmd.
func warner(cmd *cobra.Command) func(message string) {
	return func(message string) { fmt.Fprintln(cmd.ErrOrStderr(), "tengen: warning:", oneLine(message)) }
}

// usable is nil if an entry of the log holds a game that keeps the rules.
func usable(p program, e replay.Entry) error {
	if e.Err != nil {
		return e.Err
	}
	if err := p.validate(e.Game); err != nil {
		return fmt.Errorf("sequence number %d: %w", e.Sequence, err)
	}
	return nil
}

// resultNames are the names of a game's outcomes for the first player, -1, 0 and 1.
var resultNames = [3]string{"second", "draw", "first"}

// resultName names who has won a game.
func resultName(g *replay.Record) string { return resultNames[g.Outcome+1] }

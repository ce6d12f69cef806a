package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"tengen/run"
)

func newReplay() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "replay",
		Short: "Look into the games that a run has played",
		Long: "replay reads the games of a run from games.db in its directory, an SQLite\n" +
			"database. A training may be at work there: only repair wants it to stop.",
		Args: noArgs,
		RunE: showHelp,
	}
	cmd.AddCommand(newReplayStats(), newReplayVerify(), newReplayShow(), newReplayExport(), newReplayBackup(), newReplayRepair())
	return cmd
}

func exactArgs(names ...string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		switch {
		case len(args) < len(names):
			return usageErrorf("%s is missing (see %s --help)", names[len(args)], cmd.CommandPath())
		case len(args) > len(names):
			return usageErrorf("unknown argument %q (see %s --help)", args[len(names)], cmd.CommandPath())
		}
		return nil
	}
}

func newReplayVerify() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "verify DIR",
		Short: "Check every game, checkpoint and model of a run",
		Long: "verify reads every game of a run, and every checkpoint and model, and lists\n" +
			"what is damaged, missing or against the rules of the game. It ends with exit\n" +
			"status 1 if there is anything of that kind. It changes nothing.",
		Example:           "  tengen replay verify checkpoints/connect4",
		Args:              exactArgs("DIR"),
		ValidArgsFunction: completeRuns(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			v, err := run.VerifyRun(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			err = printReport(cmd.OutOrStdout(), asJSON, v, v.Text(args[0]))
			if n := len(v.Problems); err == nil && n > 0 {
				return fmt.Errorf("%s is not intact: %s", args[0], run.Plural(n, "problem"))
			}
			return err
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print a JSON object")
	return cmd
}

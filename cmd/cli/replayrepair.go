package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"tengen/run"
)

func newReplayRepair() *cobra.Command {
	return &cobra.Command{
		Use:   "repair DIR",
		Short: "Save the games that can be read from a damaged database",
		Long: "repair copies every game of a run that can be read into a new database, and\n" +
			"lists the numbers of those that are lost. The old database stays beside it as\n" +
			"games.db.damaged. When the run continues, it plays lost games again that it\n" +
			"still needs, if their models still exist. No training may be at work in the\n" +
			"directory.",
		Example:           "  tengen replay repair checkpoints/connect4",
		Args:              exactArgs("DIR"),
		ValidArgsFunction: completeRuns(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			out := cmd.OutOrStdout()
			kept, err := run.RepairRun(cmd.Context(), args[0], func(loss error) { fmt.Fprintln(out, oneLine(loss.Error())) })
			if err == nil {
				_, err = fmt.Fprintf(out, "%s: %s saved\n", args[0], run.Plural(kept, "game"))
			}
			return err
		},
	}
}

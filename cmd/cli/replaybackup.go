package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"tengen/run"
)

func newReplayBackup() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "backup DIR TO",
		Short: "Copy a run, also while it trains",
		Long: "backup copies a run directory to a folder that must not be there yet. The run\n" +
			"may train meanwhile. The copy is a whole run: there or on another machine, it\n" +
			"continues from the newest checkpoint to the same models. backup checks it like\n" +
			"verify, and renames it into place when it is whole. Faults of the copy are\n" +
			"warnings: the run has them too.",
		Example:           "  tengen replay backup checkpoints/connect4 /mnt/backup/connect4-monday",
		Args:              exactArgs("DIR", "TO"),
		ValidArgsFunction: completeRuns(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			b, err := run.BackupRun(cmd.Context(), args[0], args[1])
			if err != nil {
				return err
			}
			for _, p := range b.Problems {
				warner(cmd)(p.Text)
			}
			return printReport(cmd.OutOrStdout(), asJSON, b, fmt.Sprintf(
				"%s: continues after iteration %d, %s intact, %s read, %s\n", args[1],
				b.Iteration, run.Plural(b.Games, "game"), run.Plural(b.Files, "file"), run.Plural(len(b.Problems), "problem")))
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print a JSON object")
	return cmd
}

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
		Short: "Copy a run, even while it is training",
		Long: "backup copies a run directory to a folder that must not exist yet. The run may\n" +
			"be training at the time. The copy is a complete run: resumed there or on\n" +
			"another machine, it carries on from the newest checkpoint and produces the\n" +
			"same models. backup checks the copy as verify does, then renames it into place.\n" +
			"Faults in the copy are only warnings, because the run has them too.",
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

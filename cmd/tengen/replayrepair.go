package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"tengen/engine"
)

func newReplayRepair() *cobra.Command {
	var force bool
	cmd := &cobra.Command{
		Use:   "repair DIR [--force]",
		Short: "Take out of the files of the games what cannot be read",
		Long: "repair does what every start of a training does: it takes out of the files of the games what cannot be read, so that\n" +
			"the rest can. What is taken out stays beside the file, as FILE.removed- and the time. If it is more than a few games,\n" +
			"or one in a hundred, nothing is changed, here and at the start: the files may be those of another version of the\n" +
			"program. --force takes it out nevertheless. Copy the directory before.",
		Example:           "  tengen replay repair checkpoints/connect4 --force",
		Args:              exactArgs("DIR"),
		ValidArgsFunction: completeRuns(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			out, repairs := cmd.OutOrStdout(), 0
			err := engine.RepairRun(args[0], force, func(message string) {
				repairs++
				fmt.Fprintln(out, oneLine(message))
			})
			if err == nil && repairs == 0 {
				_, err = fmt.Fprintf(out, "%s: nothing to repair\n", args[0])
			}
			return err
		},
	}
	cmd.Flags().BoolVar(&force, "force", false, "take out whatever cannot be read, however much that is")
	return cmd
}

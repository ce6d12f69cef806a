package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"tengen/run"
)

func newReplayShow() *cobra.Command {
	return &cobra.Command{
		Use:   "show DIR GAME",
		Short: "Print a game move by move",
		Long: "show prints a game with the value of each search, for the side to move, its\n" +
			"simulations, and the largest shares of moves that the policy learns. A\n" +
			"position that does not count as one in learning has its weight beside it. GAME\n" +
			"is the number of the game, from 0.",
		Example:           "  tengen replay show checkpoints/connect4 1234",
		Args:              exactArgs("DIR", "GAME"),
		ValidArgsFunction: completeRuns(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			number, err := run.ParseGame(args[1])
			if err != nil {
				return err
			}
			recorded, err := run.OpenRun(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			defer recorded.Close()
			entry, err := recorded.Find(cmd.Context(), number)
			if err != nil {
				return err
			}
			text, end, err := recorded.Describe(entry)
			if err != nil {
				return err
			}
			out := cmd.OutOrStdout()
			_, err = fmt.Fprintf(out, "%s\n%s%s\n", text, drawBoard(end, useColour(out)), run.DescribeEnd(entry.Game))
			return err
		},
	}
}

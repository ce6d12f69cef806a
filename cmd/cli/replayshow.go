package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"tengen/engine"
)

func newReplayShow() *cobra.Command {
	return &cobra.Command{
		Use:   "show DIR GAME",
		Short: "Print a game move by move",
		Long: "show prints a game with the value of each search, for the side to move, its simulations, and the largest shares of\n" +
			"moves that the policy learns. A position that does not count as one in learning has its weight beside it. GAME is the\n" +
			"number of the game, from 0.",
		Example:           "  tengen replay show checkpoints/connect4 1234",
		Args:              exactArgs("DIR", "GAME"),
		ValidArgsFunction: completeRuns(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			number, err := engine.ParseGame(args[1])
			if err != nil {
				return err
			}
			run, err := engine.OpenRun(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			defer run.Close()
			entry, err := run.Find(cmd.Context(), number)
			if err != nil {
				return err
			}
			text, end, err := run.Describe(entry)
			if err != nil {
				return err
			}
			out := cmd.OutOrStdout()
			_, err = fmt.Fprintf(out, "%s\n%s%s\n", text, drawBoard(end, useColour(out)), engine.DescribeEnd(entry.Game))
			return err
		},
	}
}

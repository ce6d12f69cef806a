package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"tengen/engine"
)

func newReplayShow() *cobra.Command {
	var worker string
	cmd := &cobra.Command{
		Use:   "show DIR GAME",
		Short: "Print a game move by move",
		Long: "show prints a game with the value of each search, for the side to move, its simulations, and the largest shares of\n" +
			"moves that the policy learns. A position that does not count as one in learning has its weight beside it. GAME is the\n" +
			"number of the game, or # and its sequence number in the log.",
		Example: "  tengen replay show checkpoints/connect4 1234\n" +
			"  tengen replay show checkpoints/connect4 '#1300'",
		Args:              exactArgs("DIR", "GAME"),
		ValidArgsFunction: completeRuns(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			wanted, err := engine.ParseWanted(args[1])
			if err != nil {
				return err
			}
			wanted.Worker = worker
			run, err := engine.OpenRun(cmd.Context(), args[0], warner(cmd))
			if err != nil {
				return err
			}
			defer run.Close()
			entry, err := run.Find(cmd.Context(), wanted)
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
	cmd.Flags().StringVar(&worker, "worker", "", "`name` of the worker, where several have a game with this number")
	return cmd
}

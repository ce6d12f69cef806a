package cli

import (
	"github.com/spf13/cobra"

	"tengen/doors/gomocup"
	"tengen/engine"
	"tengen/run"
)

func newGomocup() *cobra.Command {
	options := gomocup.Options{Version: run.Version()}
	cmd := &cobra.Command{
		Use:   "gomocup",
		Short: "Play gomoku in Piskvork, Yixin-Board and other managers",
		RunE: func(cmd *cobra.Command, _ []string) error {
			if options.Players == nil {
				options.Players = gomocup.DefaultPlayers("checkpoints/pretrained/gomoku")
			}
			if err := options.Validate(); err != nil {
				return engine.InputError{Err: err}
			}
			return gomocup.Run(cmd.Context(), cmd.InOrStdin(), cmd.OutOrStdout(), options)
		},
	}
	specsFlag(cmd, &options.Players, "player", "`SPEC` of a player: a net, alphabeta, uct or random")
	cmd.Flags().IntVar(&options.Threads, "threads", 0, "search goroutines, unless the manager sets the number (default one per core)")
	cmd.Flags().Uint64Var(&options.Seed, "seed", 1, "seed of random choices")
	cmd.Flags().BoolVar(&options.Quiet, "quiet", false, "do not report the engine's thinking")
	return cmd
}

package cli

import (
	"github.com/spf13/cobra"

	"tengen/doors/gomocup"
	"tengen/engine"
	"tengen/run"
)

func newGomocup() *cobra.Command {
	var players []string
	options := gomocup.Options{Version: run.Version()}
	cmd := &cobra.Command{
		Use:   "gomocup",
		Short: "Play gomoku in Piskvork, Yixin-Board and other managers",
		Long: "gomocup talks the protocol of Gomocup on standard input and output, so that a\n" +
			"manager can start it: Piskvork, Yixin-Board, c-gomoku-cli and others.\n" +
			"docs/gomocup.md says how. Boards have 5 to 20 lines; the manager says whether\n" +
			"five or more in a row win, exactly five, or five by the rule of Caro. The\n" +
			"first player that can play on a board plays there; without --player that is\n" +
			"the network that comes with tengen. The manager says how long it may think,\n" +
			"unless its SPEC does.",
		Example: "  tengen gomocup\n" +
			"  tengen gomocup --player net:checkpoints/gomoku --player alphabeta:8",
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			var err error
			if options.Players, err = parseEngines("--player", players); err != nil {
				return err
			}
			if len(players) == 0 {
				options.Players = gomocup.DefaultPlayers("checkpoints/pretrained/gomoku")
			}
			if err := options.Validate(); err != nil {
				return engine.InputError{Err: err}
			}
			return gomocup.Run(cmd.Context(), cmd.InOrStdin(), cmd.OutOrStdout(), options)
		},
	}
	cmd.Flags().StringArrayVar(&players, "player", nil, "`SPEC` of a player: a net, alphabeta, uct or random; may be repeated")
	complete(cmd, "player", func(string) []string { return run.SpecsHere() })
	cmd.Flags().IntVar(&options.Threads, "threads", 0, "goroutines that think, where the manager does not say (default one for each core)")
	cmd.Flags().Uint64Var(&options.Seed, "seed", 1, "seed of random choices")
	cmd.Flags().BoolVar(&options.Quiet, "quiet", false, "say nothing of what the engine thinks")
	return cmd
}

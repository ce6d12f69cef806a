package cli

import (
	"github.com/spf13/cobra"

	"tengen/engine"
	"tengen/run"
)

func newInfo() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "info THING",
		Short: "Describe a model, a run or a game",
		Long: "info says what a model file, a run directory or a game is, how far a run has\n" +
			"got and how strong it is, which search constants differ from the defaults, and\n" +
			"the checksum of a model. net:connect4 is the model of that name, connect4 the\n" +
			"game.",
		Example: "  tengen info checkpoints/connect4\n" +
			"  tengen info net:connect4",
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return append(run.NetworksHere(), engine.Boards()...), cobra.ShellCompDirectiveDefault
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			facts, err := run.Info(args[0])
			if err != nil {
				return err
			}
			return printReport(cmd, facts, facts.Text())
		},
	}
	jsonFlag(cmd, "print a JSON object")
	return cmd
}

func newList() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List games, models, players and runs",
		Long: "list shows games to play, the models that come with tengen, the kinds of\n" +
			"players, and the models and runs in the current folder and in checkpoints.",
		RunE: func(cmd *cobra.Command, _ []string) error {
			facts := run.Listing()
			return printReport(cmd, facts, facts.Text())
		},
	}
	jsonFlag(cmd, "print a JSON object")
	return cmd
}

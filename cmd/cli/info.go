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
		RunE: func(cmd *cobra.Command, _ []string) error {
			facts := run.Listing()
			return printReport(cmd, facts, facts.Text())
		},
	}
	jsonFlag(cmd, "print a JSON object")
	return cmd
}

package cli

import (
	"github.com/spf13/cobra"

	"tengen/run"
)

func newReplayStats() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:               "stats DIR",
		Short:             "Count the games: by model, result, length and worker; and say where the time went",
		Example:           "  tengen replay stats checkpoints/connect4",
		Args:              exactArgs("DIR"),
		ValidArgsFunction: completeRuns(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			run, err := run.OpenRun(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			defer run.Close()
			s, err := run.Summary(cmd.Context())
			if err != nil {
				return err
			}
			return printReport(cmd.OutOrStdout(), asJSON, s, s.Text()+run.SpentText())
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print a JSON object")
	return cmd
}

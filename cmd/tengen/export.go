package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"tengen/engine"
)

func newExport() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "export",
		Short: "Write metrics and agents for other programs",
		Long: "export writes what a run has measured, iteration by iteration, for other programs, while the run may go on, or packs an\n" +
			"agent. (tengen replay export writes the games of a run.)",
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newExportTensorboard(), newExportCSV(), newExportKaggle())
	return cmd
}

func newExportTensorboard() *cobra.Command {
	return &cobra.Command{
		Use:   "tensorboard DIR|FILE OUT",
		Short: "Write event files for TensorBoard",
		Long: "tensorboard writes the metrics of a run directory, or of a file as its metrics.jsonl, as an event file into the\n" +
			"folder OUT, which tensorboard --logdir shows. The step is the number of self-play games. A run with the key\n" +
			"train.tensorboard writes event files while it goes on.",
		Example:           "  tengen export tensorboard checkpoints/connect4 curves/connect4",
		Args:              exactArgs("DIR|FILE", "OUT"),
		ValidArgsFunction: completeRuns(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			n, err := engine.ExportTensorboard(args[0], args[1])
			if err != nil {
				return err
			}
			_, err = fmt.Fprintf(cmd.OutOrStdout(), "%s: %s\n", args[1], engine.Plural(n, "iteration"))
			return err
		},
	}
}

func newExportCSV() *cobra.Command {
	var file string
	cmd := &cobra.Command{
		Use:   "csv DIR|FILE",
		Short: "Print the metrics as comma-separated values",
		Long: "csv prints the metrics of a run directory, or of a file as its metrics.jsonl: a row of names, then one for each\n" +
			"iteration. The names are those of metrics.jsonl, nested ones with dots, as in grade.search.optimal. Matches against\n" +
			"earlier models of the run are left out: the rating sums them up.",
		Example:           "  tengen export csv checkpoints/connect4 --out connect4.csv",
		Args:              exactArgs("DIR|FILE"),
		ValidArgsFunction: completeRuns(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if file != "" {
				return engine.ExportCSVFile(args[0], file)
			}
			return engine.ExportCSV(args[0], cmd.OutOrStdout())
		},
	}
	cmd.Flags().StringVar(&file, "out", "", "`file` to write instead of printing")
	return cmd
}

package cli

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"tengen/report"
)

func newReport() *cobra.Command {
	var file string
	var options report.Options
	cmd := &cobra.Command{
		Use:   "report DIR... --html FILE",
		Short: "Write the curves of runs into an HTML file",
		Long: "report writes what runs have measured into one HTML file to look at and to send: configuration, strength with 95 %\n" +
			"intervals, losses, games and where the time went. Several runs are drawn over each other. The file needs no script\n" +
			"and nothing from elsewhere. The section cluster of the configuration is left out. The runs may go on meanwhile.",
		Example:           "  tengen report checkpoints/connect4 --html connect4.html",
		Args:              cobra.ArbitraryArgs,
		ValidArgsFunction: completeRuns(math.MaxInt),
		RunE: func(cmd *cobra.Command, dirs []string) error {
			switch options.Dirs = dirs; {
			case len(dirs) == 0:
				return usageErrorf("which runs? Name their directories")
			case file == "":
				return usageErrorf("where to? Name a file with --html")
			case !slices.Contains(report.Axes, options.Axis):
				return usageErrorf("--over is %q, allowed are %s", options.Axis, strings.Join(report.Axes, ", "))
			}
			if err := report.Write(file, options); err != nil {
				return err
			}
			_, err := fmt.Fprintln(cmd.OutOrStdout(), file)
			return err
		},
	}
	cmd.Flags().StringVar(&file, "html", "", "`file` to write")
	cmd.Flags().StringVar(&options.Axis, "over", report.Axes[0], "what curves are drawn over: "+strings.Join(report.Axes, ", "))
	complete(cmd, "over", func(string) []string { return report.Axes })
	return cmd
}

package cli

import (
	"strings"

	"github.com/spf13/cobra"

	"tengen/doors/web"
	"tengen/internal/printable"
)

func newReport() *cobra.Command {
	var file, axis string
	cmd := &cobra.Command{
		Use:   "report DIR... --html FILE",
		Short: "Write runs' charts to an HTML file",
		RunE: func(cmd *cobra.Command, dirs []string) error {
			switch {
			case len(dirs) == 0:
				return usageErrorf("name at least one run directory")
			case file == "":
				return usageErrorf("name the output file with --html")
			}
			if err := checkNew(cmd, file); err != nil {
				return err
			}
			page, err := web.Report(dirs, axis, newNotices(cmd).warn)
			if err != nil {
				return err
			}
			return writeFile(cmd, file, printable.Plural(len(dirs), "run"), whole(page))
		},
	}
	cmd.Flags().StringVar(&file, "html", "", "`file` to write, - for standard output")
	forceFlag(cmd)
	choiceFlag(cmd, &axis, "over", web.Axes[0], "horizontal axis: "+strings.Join(web.Axes, ", "), web.Axes...)
	return cmd
}

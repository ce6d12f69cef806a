package cli

import (
	"fmt"
	"runtime"

	"github.com/spf13/cobra"

	"tengen/run"
)

func newVersion() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version",
		Args:  noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			_, err := fmt.Fprintf(cmd.OutOrStdout(), "tengen %s %s/%s %s\n", run.Version(), runtime.GOOS, runtime.GOARCH, runtime.Version())
			return err
		},
	}
}

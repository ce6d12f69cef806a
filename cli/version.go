package cli

import (
	"fmt"
	"runtime"

	"github.com/spf13/cobra"

	"tengen/engine"
)

func newVersion(text string) *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version",
		RunE: func(cmd *cobra.Command, _ []string) error {
			_, err := fmt.Fprintln(cmd.OutOrStdout(), text)
			return err
		},
	}
}

// versionText names the version, which includes the commit of a build from a checkout.
func versionText() string {
	return fmt.Sprintf("tengen %s %s/%s %s", engine.Version(), runtime.GOOS, runtime.GOARCH, runtime.Version())
}

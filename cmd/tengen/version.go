package main

import (
	"fmt"
	"runtime"

	"github.com/spf13/cobra"

	"tengen/engine"
)

func newVersion() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version",
		Args:  noArgs,
		Run: func(cmd *cobra.Command, _ []string) {
			fmt.Fprintf(cmd.OutOrStdout(), "tengen %s %s/%s %s\n", engine.Version(), runtime.GOOS, runtime.GOARCH, runtime.Version())
		},
	}
}

package cli

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"

	"tengen/run"
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

func versionText() string {
	commit := ""
	if info, ok := debug.ReadBuildInfo(); ok {
		commit = commitText(info.Settings)
	}
	return fmt.Sprintf("tengen %s%s %s/%s %s", run.Version(), commit, runtime.GOOS, runtime.GOARCH, runtime.Version())
}

// commitText names the commit of a build from a checkout, "" without one.
func commitText(settings []debug.BuildSetting) string {
	values := map[string]string{}
	for _, s := range settings {
		values[s.Key] = s.Value
	}
	text := values["vcs.revision"]
	if text == "" {
		return ""
	}
	text = " (commit " + text[:min(12, len(text))]
	if values["vcs.modified"] == "true" {
		text += " with changes"
	}
	return text + ")"
}

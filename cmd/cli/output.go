package cli

import (
	"encoding/json"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"tengen/train/checkpoint"
)

func printReport(w io.Writer, asJSON bool, report any, text string) error {
	if !asJSON {
		_, err := io.WriteString(w, text)
		return err
	}
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(report)
}

// warner returns a function that writes warnings to cmd's log, or to standard error without one.
func warner(cmd *cobra.Command) func(message string) {
	if log := logger(cmd); log != nil {
		return func(message string) { log.Warn(oneLine(message)) }
	}
	return func(message string) { fmt.Fprintln(cmd.ErrOrStderr(), "tengen: warning:", oneLine(message)) }
}

// keepMeasured saves a chart's data in a run directory and prints the file's name.
func keepMeasured(cmd *cobra.Command, dir, chart string, all []checkpoint.Measured) error {
	file, err := checkpoint.SaveMeasured(dir, chart, all)
	if err == nil {
		fmt.Fprintf(cmd.ErrOrStderr(), "%s: tengen serve and tengen report draw it\n", file)
	}
	return err
}

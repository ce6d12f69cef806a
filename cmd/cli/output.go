package cli

import (
	"encoding/json"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"tengen/internal/chart"
)

// printReport writes a report as a JSON object over several lines, or as text.
func printReport(w io.Writer, asJSON bool, report any, text string) error {
	if !asJSON {
		_, err := io.WriteString(w, text)
		return err
	}
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(report)
}

// warner returns a function that writes warnings to the log, if cmd has one, or else to its standard error.
func warner(cmd *cobra.Command) func(message string) {
	if log := logger(cmd); log != nil {
		return func(message string) { log.Warn(oneLine(message)) }
	}
	return func(message string) { fmt.Fprintln(cmd.ErrOrStderr(), "tengen: warning:", oneLine(message)) }
}

// savePictures writes a picture as SVG and as PNG, and says where.
func savePictures(cmd *cobra.Command, picture chart.Line, path string) error {
	for _, extension := range []string{".svg", ".png"} {
		if err := picture.Save(path + extension); err != nil {
			return err
		}
	}
	fmt.Fprintf(cmd.ErrOrStderr(), "pictures: %s.svg, %s.png\n", path, path)
	return nil
}

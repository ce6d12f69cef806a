package cli

import (
	"fmt"
	"io"
	"path/filepath"

	"github.com/spf13/cobra"

	"tengen/internal/printable"
	"tengen/run"
)

func newReplayExport() *cobra.Command {
	var npz, text string // file names, or empty
	cmd := &cobra.Command{
		Use:   "export DIR [--npz FILE] [--text FILE]",
		Short: "Write the games for NumPy or as text",
		RunE: func(cmd *cobra.Command, args []string) error {
			if npz == "" && text == "" {
				return usageErrorf("nothing to write: name a file with --npz or --text (see %s --help)", cmd.CommandPath())
			}
			if npz != "" && text != "" && filepath.Clean(npz) == filepath.Clean(text) {
				return usageErrorf("--npz and --text are both %s: name two files", npz)
			}
			if err := checkNew(cmd, npz, text); err != nil {
				return err
			}
			ctx, warn := cmd.Context(), newNotices(cmd).warn
			recorded, err := run.OpenRun(ctx, args[0])
			if err != nil {
				return err
			}
			defer recorded.Close()
			games, positions, err := recorded.Count(ctx, func(err error) { warn(fmt.Errorf("%w; it is left out", err)) })
			if err == nil && npz != "" {
				what := printable.Plural(positions, "position") + " of " + printable.Plural(games, "game")
				err = writeFile(cmd, npz, what, func(w io.Writer) error { return recorded.ExportNPZ(ctx, w, positions) })
			}
			if err == nil && text != "" {
				err = writeFile(cmd, text, printable.Plural(games, "game"), func(w io.Writer) error { return recorded.ExportText(ctx, w) })
			}
			return err
		},
	}
	cmd.Flags().StringVar(&npz, "npz", "", "`file` of arrays for NumPy, - for standard output")
	cmd.Flags().StringVar(&text, "text", "", "`file` with a line for each game, - for standard output")
	forceFlag(cmd)
	return cmd
}

package cli

import (
	"fmt"
	"io"
	"path/filepath"

	"github.com/spf13/cobra"

	"tengen/run"
)

func newReplayExport() *cobra.Command {
	var npz, text string // file names, or empty
	var out outputs
	cmd := &cobra.Command{
		Use:   "export DIR [--npz FILE] [--text FILE]",
		Short: "Write the games for NumPy, or as text",
		Long: "export writes the games of a run, in the order of their numbers. What is\n" +
			"damaged or against the rules is left out with a warning.\n\n" +
			"--npz writes what the network learns from, before keys of replay such as\n" +
			"value_mix or exact_plies change the targets, and what the searches found out,\n" +
			"a row for each of N searched positions, for numpy.load:\n" +
			"  s   uint8   [N, planes, H, W]  the position as the network sees it; on boards\n" +
			"                the stones of the side to move, of its opponent, the last one,\n" +
			"                and all 1 if the first player is to move\n" +
			"  pi  float32 [N, actions]  policy target: shares of the moves, 0 for none\n" +
			"  z   float32 [N]  outcome for the side to move: 1, 0 or -1\n" +
			"  w   float32 [N]  weight in learning: usually 1, 0 is not learned from\n" +
			"  v   float32 [N]  value of the search for the side to move\n" +
			"  n   uint32  [N]  simulations of the search\n" +
			"--text writes a line for each game: number, model, winner (first, draw,\n" +
			"second) and moves, with tabs between.",
		Example: "  tengen replay export checkpoints/connect4 --npz games.npz --text games.txt",
		RunE: func(cmd *cobra.Command, args []string) error {
			if npz == "" && text == "" {
				return usageErrorf("nothing to write: name a file with --npz or --text (see %s --help)", cmd.CommandPath())
			}
			if npz != "" && text != "" && filepath.Clean(npz) == filepath.Clean(text) {
				return usageErrorf("--npz and --text are both %s: name two files", npz)
			}
			if err := out.check(npz, text); err != nil {
				return err
			}
			recorded, err := run.OpenRun(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			defer recorded.Close()
			return export(cmd, out, recorded, npz, text)
		},
	}
	cmd.Flags().StringVar(&npz, "npz", "", "`file` of arrays for NumPy, - for standard output")
	cmd.Flags().StringVar(&text, "text", "", "`file` with a line for each game, - for standard output")
	out.register(cmd)
	return cmd
}

func export(cmd *cobra.Command, files outputs, recorded *run.Run, npz, text string) error {
	ctx, warn := cmd.Context(), warner(cmd)
	games, positions, err := recorded.Count(ctx, func(err error) { warn(fmt.Errorf("%w; it is left out", err)) })
	if err != nil {
		return err
	}
	if npz != "" {
		what := run.Plural(positions, "position") + " of " + run.Plural(games, "game")
		err = files.write(cmd, npz, what, func(w io.Writer) error { return recorded.ExportNPZ(ctx, w, positions) })
	}
	if text != "" && err == nil {
		err = files.write(cmd, text, run.Plural(games, "game"), func(w io.Writer) error { return recorded.ExportText(ctx, w) })
	}
	return err
}

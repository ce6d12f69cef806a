package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"tengen/internal/atomicfile"
	"tengen/replay"
	"tengen/replay/npz"
)

type exportOptions struct {
	npz, text string // names of the files, empty for none
}

func newReplayExport() *cobra.Command {
	var opt exportOptions
	cmd := &cobra.Command{
		Use:   "export DIR [--npz FILE] [--text FILE]",
		Short: "Write the games for NumPy, or as text",
		Long: "export writes the games of a run, in the order of its log. What is damaged, missing or against the rules is left out\n" +
			"with a warning.\n\n" +
			"--npz writes what the network learns from, and what the searches found out, a row for each of N searched positions, for\n" +
			"numpy.load:\n" +
			"  s   uint8   [N, 4, H, W]  stones of the side to move, of its opponent, last move, all 1 if the first player is to move\n" +
			"  pi  float32 [N, actions]  policy target: shares of the moves, all 0 if there is none\n" +
			"  z   float32 [N]           outcome of the game for the side to move: 1, 0 or -1\n" +
			"  w   float32 [N]           weight in learning: usually 1, 0 is not learned from\n" +
			"  v   float32 [N]           value of the search for the side to move\n" +
			"  n   uint32  [N]           simulations of the search\n" +
			"--text writes a line for each game: number, model, winner (first, draw, second) and moves, with tabs between.",
		Example: "  tengen replay export checkpoints/connect4 --npz games.npz --text games.txt",
		Args:    exactArgs("DIR"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if opt == (exportOptions{}) {
				return usageError{fmt.Errorf("nothing to write: name a file with --npz or --text (see %s --help)", cmd.CommandPath())}
			}
			p, log, err := openRun(cmd.Context(), args[0], warner(cmd))
			if err != nil {
				return err
			}
			defer log.Close()
			return p.export(cmd, log, opt)
		},
	}
	cmd.Flags().StringVar(&opt.npz, "npz", "", "`file` of arrays for NumPy")
	cmd.Flags().StringVar(&opt.text, "text", "", "`file` with a line for each game")
	return cmd
}

func (b bound[S]) export(cmd *cobra.Command, log replay.Log, opt exportOptions) error {
	ctx, warn := cmd.Context(), warner(cmd)
	games, positions := 0, 0
	err := b.eachGame(ctx, log, func(g *replay.Record) error {
		games++
		positions += g.Searched()
		return nil
	}, func(err error) { warn(err.Error() + "; it is left out") })
	if err != nil {
		return err
	}
	if opt.npz != "" {
		err := atomicfile.Write(opt.npz, func(w io.Writer) error {
			return npz.Write(w, b.game, positions, func(yield func(*replay.Record) error) error { return b.eachGame(ctx, log, yield, nil) })
		})
		if err != nil {
			return err
		}
		fmt.Fprintf(cmd.OutOrStdout(), "%s: %s of %s\n", opt.npz, count(positions, "position"), count(games, "game"))
	}
	if opt.text != "" {
		err := atomicfile.Write(opt.text, func(w io.Writer) error { return b.writeText(ctx, w, log) })
		if err != nil {
			return err
		}
		fmt.Fprintf(cmd.OutOrStdout(), "%s: %s\n", opt.text, count(games, "game"))
	}
	return nil
}

// eachGame passes on the usable games of a log in its order, and to skipped, if that is not nil, what is wrong with the
// others. A game that came before is not worth a word.
func (b bound[S]) eachGame(ctx context.Context, log replay.Log, yield func(*replay.Record) error, skipped func(error)) error {
	return log.Read(ctx, 0, func(e replay.Entry) error {
		err := usable(b, e)
		if err == nil {
			return yield(e.Game)
		}
		if skipped != nil && !errors.Is(err, replay.ErrDuplicate) {
			skipped(err)
		}
		return nil
	})
}

func (b bound[S]) writeText(ctx context.Context, w io.Writer, log replay.Log) error {
	out := bufio.NewWriter(w)
	err := b.eachGame(ctx, log, func(g *replay.Record) error {
		_, err := fmt.Fprintf(out, "%d\t%d\t%s\t%s\n", g.Number, g.Model, resultName(g), b.game.FormatMoves(g.Moves))
		return err
	}, nil)
	return errors.Join(err, out.Flush())
}

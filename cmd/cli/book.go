package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"time"

	"github.com/spf13/cobra"

	"tengen/engine"
	"tengen/game/connect4"
	"tengen/internal/atomicfile"
	"tengen/run"
	connect4solver "tengen/solver/connect4"
)

// buildBook writes an opening book: the scores of all Connect Four positions up to a ply. If ctx ends first, the file
// has the positions solved so far, and the same command continues from there.
func buildBook(ctx context.Context, cmd *cobra.Command, e engine.Game, opt solveOptions) error {
	name, file := e.Info().Name, opt.solver.Book
	g, err := connect4.Named(name)
	if err != nil {
		return usageErrorf("there are opening books for Connect Four only, not for %s", name)
	}
	if err := opt.solver.Validate(); err != nil {
		return engine.InputError{Err: err}
	}
	from, err := connect4solver.ReadBookFile(file)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	live, start := newStatusLine(cmd.ErrOrStderr()), time.Now()
	book, failure := connect4solver.BuildBook(ctx, g, connect4solver.BuildOptions{
		Depth:  opt.build,
		Solver: connect4solver.Options{TableMegabytes: opt.solver.TableMegabytes, Threads: opt.solver.Threads},
		From:   from,
		Progress: func(done, total int) {
			live.Set(fmt.Sprintf("position %d/%d of ply %d, %s", done, total, opt.build, run.Elapsed(time.Since(start))))
		},
	})
	live.Clear()
	if book == nil { // the request was refused
		return engine.InputError{Err: failure}
	}
	err = atomicfile.Write(file, 0o644, func(w io.Writer) error { _, err := book.WriteTo(w); return err })
	switch {
	case err != nil:
		return errors.Join(failure, err)
	case ctx.Err() != nil && book.Len() > 0:
		return fmt.Errorf("%w: %s has the first %d scores, and the same command continues from there", errInterrupted, file, book.Len())
	case failure != nil:
		return failure
	}
	_, err = fmt.Fprintf(cmd.OutOrStdout(), "%s: %d positions up to ply %d after %s\n", file, book.Len(), book.Depth(), run.Elapsed(time.Since(start)))
	return err
}

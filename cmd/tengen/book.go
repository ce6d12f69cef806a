package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"time"

	"github.com/spf13/cobra"

	"tengen/game/connect4"
	"tengen/internal/atomicfile"
	connect4solver "tengen/solver/connect4"
)

// readBook reads an opening book.
func readBook(path string) (*connect4solver.Book, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	book, err := connect4solver.ReadBook(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return book, nil
}

// buildBook writes the scores of all positions up to a ply into the file of the options. What is there already, of a
// book that was interrupted, is not solved again.
func (b bound[S]) buildBook(ctx context.Context, cmd *cobra.Command, opt solveOptions) error {
	g, ok := any(b.game).(*connect4.Game)
	if !ok {
		return usageError{fmt.Errorf("--build-book: there are opening books for Connect Four only, not for %s", b.game.Name())}
	}
	path := opt.solver.book
	from, err := readBook(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	live, start := newStatusLine(cmd.ErrOrStderr()), time.Now()
	defer live.Clear()
	book, failure := connect4solver.BuildBook(ctx, g, connect4solver.BuildOptions{
		Depth:  opt.build,
		Solver: connect4solver.Options{TableMegabytes: opt.solver.megabytes, Threads: opt.solver.threads},
		From:   from,
		Progress: func(done, total int) {
			live.Set(fmt.Sprintf("position %d/%d of ply %d, %s", done, total, opt.build, elapsed(time.Since(start))))
		},
	})
	if book != nil {
		err = atomicfile.Write(path, 0o644, func(w io.Writer) error { _, err := book.WriteTo(w); return err })
	}
	live.Clear()
	if ctx.Err() != nil && book != nil && err == nil {
		return fmt.Errorf("%w: %s has the first %d scores, and the same command goes on from there", errInterrupted, path, book.Len())
	}
	if err := errors.Join(failure, err); err != nil {
		return err
	}
	_, err = fmt.Fprintf(cmd.OutOrStdout(), "%s: %d positions up to ply %d after %s\n", path, book.Len(), book.Depth(), elapsed(time.Since(start)))
	return err
}

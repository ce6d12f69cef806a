package engine

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

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

// BookOptions say how to build an opening book.
type BookOptions struct {
	File   string // where the book goes; one that was interrupted is gone on with
	Depth  int    // the last ply, at least 1
	Solver SolverOptions
}

// Book says what an opening book holds.
type Book struct {
	Positions int
	Depth     int // the last ply
}

// BuildBook implements Engine: it writes the scores of all positions up to a ply into a file. When ctx ends first, the file
// has those that were solved, and the error comes with their number.
func (e typed[S]) BuildBook(ctx context.Context, o BookOptions, progress func(done, total int)) (Book, error) {
	g, ok := any(e.game).(*connect4.Game)
	if !ok {
		return Book{}, inputErrorf("there are opening books for Connect Four only, not for %s", e.game.Name())
	}
	if o.File == "" {
		return Book{}, inputErrorf("which file is the opening book to go to?")
	}
	if err := o.Solver.validate(); err != nil {
		return Book{}, err
	}
	from, err := readBook(o.File)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return Book{}, err
	}
	book, failure := connect4solver.BuildBook(ctx, g, connect4solver.BuildOptions{
		Depth:    o.Depth,
		Solver:   connect4solver.Options{TableMegabytes: o.Solver.TableMegabytes, Threads: o.Solver.Threads},
		From:     from,
		Progress: progress,
	})
	if book == nil { // what was asked for cannot be
		return Book{}, asInput(failure)
	}
	err = atomicfile.Write(o.File, 0o644, func(w io.Writer) error { _, err := book.WriteTo(w); return err })
	return Book{book.Len(), book.Depth()}, errors.Join(failure, err)
}

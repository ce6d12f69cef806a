package connect4

import (
	"fmt"
	"os"

	"tengen/game/connect4"
	"tengen/solver"
)

// quickPlies is how many plies before the end of a game the solver becomes quick.
const quickPlies = 30

// Maker returns a maker of this package's solvers, or of general ones if they do not support the board.
func Maker(g *connect4.Game) solver.Maker[connect4.State] {
	if _, err := boardOf(g); err != nil {
		return solver.General(g)
	}
	return solver.Maker[connect4.State]{Quick: max(0, g.MaxPlies()-quickPlies), New: func(o solver.Options) (solver.Solver[connect4.State], error) {
		options := Options{TableMegabytes: o.TableMegabytes, Threads: o.Threads, Book: OpeningBook(g)}
		if o.Book != "" {
			book, err := ReadBookFile(o.Book)
			if err != nil {
				return nil, err
			}
			options.Book = book
		}
		return New(g, options)
	}}
}

// ReadBookFile reads a book from a file.
func ReadBookFile(path string) (*Book, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	book, err := ReadBook(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return book, nil
}

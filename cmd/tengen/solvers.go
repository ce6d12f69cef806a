package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"tengen/game"
	"tengen/game/connect4"
	"tengen/game/mnk"
	"tengen/solver"
	connect4solver "tengen/solver/connect4"
	mnksolver "tengen/solver/mnk"
)

// solverOptions say how to solve.
type solverOptions struct {
	megabytes int    // of the table
	threads   int    // that search a position together, where the game's solver can
	book      string // file of known scores, where the game's solver has one
}

func defaultSolverOptions() solverOptions { return solverOptions{megabytes: 64, threads: 1} }

// register adds the flags.
func (o *solverOptions) register(cmd *cobra.Command) {
	cmd.Flags().IntVar(&o.megabytes, "table-megabytes", o.megabytes, "memory for positions that are solved already, in MiB")
	cmd.Flags().IntVar(&o.threads, "threads", o.threads, "goroutines that solve a position together (Connect Four)")
	cmd.Flags().StringVar(&o.book, "book", o.book, "opening book `file`, in place of the program's own for the first 8 plies (Connect Four)")
}

func (o solverOptions) validate() error {
	switch {
	case o.megabytes < 1 || o.megabytes > 1<<20:
		return fmt.Errorf("--table-megabytes is %d, allowed are 1 to %d", o.megabytes, 1<<20)
	case o.threads < 1 || o.threads > 256:
		return fmt.Errorf("--threads is %d, allowed are 1 to 256", o.threads)
	}
	return nil
}

// opener makes the strongest solver that there is for a game.
type opener[S game.State[S]] func(solverOptions) (solver.Solver[S], error)

// The solvers are quick where at most so many cells are empty.
const (
	quickCellsConnect4 = 30
	quickCellsMNK      = 30
	quickCellsGeneral  = 14
)

// solveConnect4 solves Connect Four by its own solver where that takes the board.
func solveConnect4(g *connect4.Game) (exact opener[connect4.State], quick int) {
	rows, columns := g.Board()
	if _, err := connect4solver.New(g, connect4solver.Options{TableMegabytes: 1, Threads: 1}); err != nil {
		return solveGeneral(g)
	}
	return func(o solverOptions) (solver.Solver[connect4.State], error) {
		options := connect4solver.Options{TableMegabytes: o.megabytes, Threads: o.threads, Book: connect4solver.OpeningBook(g)}
		if o.book != "" {
			book, err := readBook(o.book)
			if err != nil {
				return nil, err
			}
			options.Book = book
		}
		return connect4solver.New(g, options)
	}, max(0, rows*columns-quickCellsConnect4)
}

// solveMNK solves m,n,k games by their own solver where that takes the board.
func solveMNK(g *mnk.Game) (exact opener[mnk.State], quick int) {
	const entry = 24 // bytes
	if _, err := mnksolver.New(g, mnksolver.Config{TableEntries: 2}); err != nil {
		return solveGeneral(g)
	}
	return func(o solverOptions) (solver.Solver[mnk.State], error) {
		return mnksolver.New(g, mnksolver.Config{TableEntries: o.megabytes << 20 / entry})
	}, max(0, g.Actions()-quickCellsMNK)
}

// solveGeneral solves any game by alpha-beta.
func solveGeneral[S game.State[S]](g game.Game[S]) (exact opener[S], quick int) {
	const entry = 32 // bytes
	height, width := g.Board()
	return func(o solverOptions) (solver.Solver[S], error) {
		config := solver.Default()
		config.TableEntries = o.megabytes << 20 / entry
		return solver.NewAlphaBeta(g, config), nil
	}, max(0, height*width-quickCellsGeneral)
}

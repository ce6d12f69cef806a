package engine

import (
	"context"
	"fmt"
	"runtime"
	"slices"

	"tengen/game"
	"tengen/game/caniwin"
	"tengen/game/connect4"
	"tengen/game/ends"
	"tengen/game/mnk"
	"tengen/game/nim"
	"tengen/internal/limits"
	"tengen/replay"
	"tengen/solver"
	connect4solver "tengen/solver/connect4"
	mnksolver "tengen/solver/mnk"
	"tengen/solver/takeaway"
)

// SolverOptions say how to solve.
type SolverOptions struct {
	TableMegabytes int    // memory for positions that are solved already
	Threads        int    // that solve a position together, where the game's solver can
	Book           string // file of known scores, in place of those that the game's solver comes with, where it has them
}

// DefaultSolverOptions are those of the players "solver" and "minimax".
func DefaultSolverOptions() SolverOptions { return SolverOptions{TableMegabytes: 64, Threads: 1} }

func (o SolverOptions) validate() error {
	return asInput(limits.Check("",
		limits.Int("table_megabytes", o.TableMegabytes, 1, 1<<20),
		limits.Int("threads", o.Threads, 1, 256),
	))
}

// opener makes the strongest solver that there is for a game.
type opener[S game.State[S]] func(SolverOptions) (solver.Solver[S], error)

// The solvers are quick where a game has at most so many plies left.
const (
	quickPliesConnect4 = 30
	quickPliesMNK      = 30
	quickPliesGeneral  = 14
)

// solveConnect4 solves Connect Four by its own solver where that takes the board.
func solveConnect4(g *connect4.Game) (exact opener[connect4.State], quick int) {
	if _, err := connect4solver.New(g, connect4solver.Options{TableMegabytes: 1, Threads: 1}); err != nil {
		return solveGeneral(g)
	}
	return func(o SolverOptions) (solver.Solver[connect4.State], error) {
		options := connect4solver.Options{TableMegabytes: o.TableMegabytes, Threads: o.Threads, Book: connect4solver.OpeningBook(g)}
		if o.Book != "" {
			book, err := readBook(o.Book)
			if err != nil {
				return nil, err
			}
			options.Book = book
		}
		return connect4solver.New(g, options)
	}, max(0, g.MaxPlies()-quickPliesConnect4)
}

// solveMNK solves m,n,k games by their own solver where that takes the board and its rule.
func solveMNK(g *mnk.Game) (exact opener[mnk.State], quick int) {
	const entry = 24 // bytes
	if _, err := mnksolver.New(g, mnksolver.Config{TableEntries: 2}); err != nil {
		return solveGeneral(g)
	}
	return func(o SolverOptions) (solver.Solver[mnk.State], error) {
		return mnksolver.New(g, mnksolver.Config{TableEntries: o.TableMegabytes << 20 / entry})
	}, max(0, g.MaxPlies()-quickPliesMNK)
}

// solveNim, solveEnds and solveCanIWin solve take-away games by their theory, from the start of the game on.
func solveNim(g *nim.Game) (exact opener[nim.State], quick int) {
	return func(SolverOptions) (solver.Solver[nim.State], error) { return takeaway.NewNim(g), nil }, 0
}

func solveEnds(g *ends.Game) (exact opener[ends.State], quick int) {
	return func(SolverOptions) (solver.Solver[ends.State], error) { return takeaway.NewEnds(g), nil }, 0
}

func solveCanIWin(g *caniwin.Game) (exact opener[caniwin.State], quick int) {
	return func(SolverOptions) (solver.Solver[caniwin.State], error) { return takeaway.NewCanIWin(g), nil }, 0
}

// solveGeneral solves any game by alpha-beta.
func solveGeneral[S game.State[S], G game.Game[S]](g G) (exact opener[S], quick int) {
	const entry = 32 // bytes
	return func(o SolverOptions) (solver.Solver[S], error) {
		config := solver.Default()
		config.TableEntries = o.TableMegabytes << 20 / entry
		return solver.NewAlphaBeta[S](g, config), nil
	}, max(0, g.MaxPlies()-quickPliesGeneral)
}

// solves implements Engine.
func (e typed[S]) solves(plies int) error {
	if most := e.game.MaxPlies() - e.quick; plies > most {
		return fmt.Errorf("replay.exact_plies is %d, but the solver of %s is quick with at most %d plies left: say so many, or fewer",
			plies, e.game.Name(), most)
	}
	return nil
}

// perfect is what replay.NewWindow takes. It has a solver for each core, which is made when it is needed. The last position of
// a game comes first, as a solver has it easiest that way.
func (e typed[S]) perfect() replay.Perfect[S] {
	idle := make(chan func(context.Context, S) (int, error), runtime.GOMAXPROCS(0))
	for range cap(idle) {
		idle <- nil
	}
	return func(positions []S) []int8 {
		solve := <-idle
		if solve == nil {
			solve = e.sign()
		}
		defer func() { idle <- solve }()
		signs := make([]int8, len(positions))
		for i, s := range slices.Backward(positions) {
			sign, err := solve(context.Background(), s)
			if err != nil {
				panic(err) // a solver fails only when its context ends
			}
			signs[i] = int8(sign)
		}
		return signs
	}
}

// sign returns what finds the signs of scores, with a table of its own that is small enough for a processor's cache.
func (e typed[S]) sign() func(context.Context, S) (int, error) {
	exact, err := e.exact(SolverOptions{TableMegabytes: 2, Threads: 1})
	if err != nil {
		panic(err) // New with the same board has worked
	}
	return signOf(exact)
}

// signOf returns what finds the sign of a position's score, sooner than the score where the solver can.
func signOf[S game.State[S]](exact solver.Solver[S]) func(context.Context, S) (int, error) {
	if quick, ok := exact.(interface {
		Sign(context.Context, S) (int, error)
	}); ok {
		return quick.Sign
	}
	return func(ctx context.Context, s S) (int, error) {
		score, err := exact.Solve(ctx, s)
		return score.Sign(), err
	}
}

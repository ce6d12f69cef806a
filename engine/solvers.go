package engine

import (
	"context"
	"fmt"
	"runtime"
	"slices"

	"tengen/game"
	"tengen/replay"
	"tengen/solver"
)

// SolverOptions say with what to solve.
type SolverOptions = solver.Options

// DefaultSolverOptions are those of the players "solver" and "minimax".
func DefaultSolverOptions() SolverOptions { return SolverOptions{TableMegabytes: 64, Threads: 1} }

// solves implements Engine.
func (e typed[S]) solves(plies int) error {
	if most := e.game.MaxPlies() - e.exact.Quick; plies > most {
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
	exact, err := e.exact.New(SolverOptions{TableMegabytes: 2, Threads: 1})
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

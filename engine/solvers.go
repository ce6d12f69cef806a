package engine

import (
	"context"

	"tengen/game"
	"tengen/solver"
)

// SolverOptions say with what to solve.
type SolverOptions = solver.Options

// DefaultSolverOptions are those of the players "solver" and "minimax".
func DefaultSolverOptions() SolverOptions { return SolverOptions{TableMegabytes: 64, Threads: 1} }

// Sign returns what finds the signs of scores, with a table of its own that is small enough for a processor's cache.
func (e Typed[S]) Sign() func(context.Context, S) (int, error) {
	exact, err := e.Exact.New(SolverOptions{TableMegabytes: 2, Threads: 1})
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

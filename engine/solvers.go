package engine

import (
	"context"

	"tengen/game"
	"tengen/solver"
)

// SolverOptions configure a Solver.
type SolverOptions = solver.Options

// DefaultSolverOptions returns the options of the player "solver".
func DefaultSolverOptions() SolverOptions { return SolverOptions{TableMegabytes: 64, Threads: 1} }

// Sign returns a function that finds the signs of scores. Its table fits a processor's cache.
func (e Typed[S]) Sign() func(context.Context, S) (int, error) {
	exact, err := e.Exact.New(SolverOptions{TableMegabytes: 2, Threads: 1})
	if err != nil {
		panic(err) // only options can be wrong
	}
	return signOf(exact)
}

// signOf uses the solver's own Sign if it has one.
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

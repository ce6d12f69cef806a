package engine

import (
	"context"
	"fmt"
	"os"
	"runtime"

	"tengen/eval/grade"
	"tengen/game"
	"tengen/players"
)

// ProblemConfig selects the positions to grade players on.
type ProblemConfig struct {
	// Exam selects a half of the game's exam, "dev" or "final".
	Exam string
	// File has one position with its score per line. Without Exam and File, Sample draws positions; its FromPly -1
	// means the ply from which the solver is quick.
	File   string
	Sample grade.SampleConfig
	// Every selects all unfinished positions of the game instead. Games with more than MostGraded are an error.
	Every  bool
	Solver SolverOptions
}

// MostGraded limits ProblemConfig.Every.
const MostGraded = 100_000

// DefaultProblems returns the config for 300 drawn positions.
func DefaultProblems() ProblemConfig {
	return ProblemConfig{
		Sample: grade.SampleConfig{Positions: 300, FromPly: -1, RandomMoves: 0.1, Seed: 1, Workers: runtime.GOMAXPROCS(0)},
		Solver: DefaultSolverOptions(),
	}
}

// Validate returns an error that names the first invalid value.
func (c ProblemConfig) Validate() error {
	sample := c.Sample
	sample.FromPly = max(0, sample.FromPly)
	switch {
	case c.Exam != "" && (c.File != "" || c.Every):
		return InputErrorf("an exam brings its own positions: choose no others")
	case c.Every && c.File != "":
		return InputErrorf("choose either every position of the game or the file %s", c.File)
	}
	if c.Sample.FromPly < -1 {
		return InputErrorf("positions from ply %d, allowed are -1 and more", c.Sample.FromPly)
	}
	if err := sample.Validate(); err != nil {
		return InputError{err}
	}
	return asInput(c.Solver.Validate())
}

// Problems implements Game.
func (e Typed[S]) Problems(ctx context.Context, c ProblemConfig, progress func(text string)) (grade.Set, error) {
	if err := c.Validate(); err != nil {
		return grade.Set{}, err
	}
	if c.Exam != "" {
		return e.exam(c.Exam)
	}
	problems, err := e.solved(ctx, c, silent(progress))
	return grade.Solved(problems), err
}

func (e Typed[S]) solved(ctx context.Context, c ProblemConfig, progress func(text string)) ([]grade.Problem, error) {
	exact, err := e.Exact.New(c.Solver)
	if err != nil {
		return nil, err
	}
	if c.File != "" {
		progress("solving " + c.File)
		f, err := os.Open(c.File)
		if err != nil {
			return nil, InputErrorf("cannot read the positions: %w", err)
		}
		defer f.Close()
		problems, err := grade.ReadProblems(ctx, f, e.Rules, exact)
		if err != nil {
			return nil, fmt.Errorf("%s, %w", c.File, err)
		}
		return problems, nil
	}
	chosen, err := e.choose(ctx, c)
	if err != nil {
		return nil, err
	}
	problems := make([]grade.Problem, len(chosen))
	for i, moves := range chosen {
		progress(fmt.Sprintf("solving position %d/%d", i+1, len(chosen)))
		if problems[i], err = grade.Solve(ctx, e.Rules, exact, moves); err != nil {
			return nil, err
		}
	}
	return problems, nil
}

// choose returns the moves to positions that are not from a file.
func (e Typed[S]) choose(ctx context.Context, c ProblemConfig) ([][]game.Action, error) {
	if c.Every {
		all, err := grade.Every(ctx, e.Rules, MostGraded)
		if err != nil && ctx.Err() == nil {
			err = InputError{err}
		}
		return all, err
	}
	sample := c.Sample
	if sample.FromPly < 0 {
		if sample.FromPly = e.Exact.Quick; !e.Info().Gradable {
			return nil, InputErrorf("%s is quick to solve from ply %d on only: say with --from-ply from which ply on to draw positions",
				e.Rules.Name(), e.Exact.Quick)
		}
	}
	return e.draw(ctx, sample)
}

// draw samples positions from random games and from games of uct:200.
func (e Typed[S]) draw(ctx context.Context, sample grade.SampleConfig) ([][]game.Action, error) {
	player, err := players.Builder[S]{Game: e.Rules}.Build(players.Spec{Kind: players.KindUCT, Limit: 200})
	if err != nil {
		return nil, err
	}
	return grade.Sample(ctx, sample, e.Rules, player)
}

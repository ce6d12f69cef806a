package engine

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"

	"tengen/eval/grade"
	"tengen/game"
	"tengen/players"
	"tengen/solver"
)

// ProblemConfig selects positions for grading.
type ProblemConfig struct {
	// Exam selects half of the exam, "dev" or "final".
	Exam string
	// BookExam is the number of positions from the opening book (see grade.BookExam), or 0.
	BookExam int
	// File has one position with its score per line.
	File string
	// Every selects all unfinished positions. A game with more than 100,000 is an error.
	Every bool
	// Sample draws positions if the fields above are zero. FromPly -1 draws those that a solver takes well under a second
	// for.
	Sample grade.SampleConfig
	Solver SolverOptions
}

const maxGraded = 100_000

// DefaultProblems returns the config for 300 drawn positions.
func DefaultProblems() ProblemConfig {
	return ProblemConfig{
		Sample: grade.SampleConfig{Positions: 300, FromPly: -1, RandomMoves: 0.1, Seed: 1, Workers: runtime.GOMAXPROCS(0)},
		Solver: DefaultSolverOptions(),
	}
}

// Validate returns an error that names an invalid value.
func (c ProblemConfig) Validate() error {
	switch {
	case c.BookExam < 0:
		return fmt.Errorf("book_exam is %d, but must be 0 or more", c.BookExam)
	case c.Exam != "" && c.BookExam > 0:
		return errors.New("choose either half of the exam or the exam from the opening book")
	case (c.Exam != "" || c.BookExam > 0) && (c.File != "" || c.Every):
		return errors.New("an exam has its own positions: choose no others")
	case c.Every && c.File != "":
		return fmt.Errorf("choose either every position of the game or the file %s", c.File)
	case c.Sample.FromPly < -1:
		return fmt.Errorf("from_ply is %d, but must be -1 or more", c.Sample.FromPly)
	}
	sample := c.Sample
	sample.FromPly = max(0, sample.FromPly)
	if err := sample.Validate(); err != nil {
		return err
	}
	return c.Solver.Validate()
}

// Problems implements Game.
func (e Typed[S]) Problems(ctx context.Context, c ProblemConfig, progress func(text string)) (grade.Set, error) {
	if err := c.Validate(); err != nil {
		return grade.Set{}, InputError{err}
	}
	if c.Exam != "" {
		return e.half("exam", c.Exam)
	}
	if c.BookExam > 0 {
		return e.bookExam(ctx, c)
	}
	if progress == nil {
		progress = func(string) {}
	}
	problems, err := e.solved(ctx, c, progress)
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
	tried := e.Exact.Try != nil && !c.Every && c.Sample.FromPly < 0
	problems := make([]grade.Problem, len(chosen))
	for i, moves := range chosen {
		progress(fmt.Sprintf("solving position %d/%d", i+1, len(chosen)))
		if tried {
			exact, _ = e.Exact.New(solver.TryOptions) // the options are valid
		}
		if problems[i], err = grade.Solve(ctx, e.Rules, exact, moves); err != nil {
			return nil, err
		}
		if tried { // no ply says how far a game is
			problems[i].Parts = []string{"all"}
		}
	}
	return problems, nil
}

// choose returns the moves to every position, or to positions drawn from games by random players and by uct:200.
func (e Typed[S]) choose(ctx context.Context, c ProblemConfig) ([][]game.Action, error) {
	if c.Every {
		all, err := grade.Every(ctx, e.Rules, maxGraded)
		if err != nil && ctx.Err() == nil {
			err = InputError{err}
		}
		return all, err
	}
	sample, try := c.Sample, e.Exact.Try
	switch {
	case sample.FromPly >= 0:
		try = nil
	case e.Info().Gradable:
		sample.FromPly = e.Exact.Quick
	default:
		return nil, InputErrorf("%s is quick to solve only from ply %d on: name with --from-ply the first ply to draw positions from",
			e.Rules.Name(), e.Exact.Quick)
	}
	player, err := players.Builder[S]{Game: e.Rules}.Build(players.Spec{Kind: players.KindUCT, Limit: 200})
	if err != nil {
		return nil, err
	}
	return grade.Sample(ctx, sample, e.Rules, try, player)
}

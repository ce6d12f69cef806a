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

// GradeConfig says who is graded, and by what.
type GradeConfig struct {
	Player  players.Spec // a network is graded with its search and without
	Players PlayerOptions
	// File has a position a line with its score. Without one, positions are drawn as Sample says; its FromPly -1 means from
	// the ply on at which the solver becomes quick.
	File   string
	Sample grade.SampleConfig
	// Every takes each position of the game that is not over instead, of at most MostGraded.
	Every  bool
	Solver SolverOptions
}

// MostGraded is the number of positions of the largest game that GradeConfig.Every takes.
const MostGraded = 100_000

// DefaultGrade draws 300 positions.
func DefaultGrade() GradeConfig {
	return GradeConfig{
		Sample: grade.SampleConfig{Positions: 300, FromPly: -1, RandomMoves: 0.1, Seed: 1, Workers: runtime.GOMAXPROCS(0)},
		Solver: DefaultSolverOptions(),
	}
}

// Validate names the first value that is out of range.
func (c GradeConfig) Validate() error {
	sample := c.Sample
	sample.FromPly = max(0, sample.FromPly)
	if c.Every && c.File != "" {
		return InputErrorf("every position of the game, and those of %s: choose one of them", c.File)
	}
	if c.Sample.FromPly < -1 {
		return InputErrorf("positions from ply %d, allowed are -1 and more", c.Sample.FromPly)
	}
	if err := sample.Validate(); err != nil {
		return InputError{err}
	}
	return asInput(c.Solver.Validate())
}

// Grader compares players with perfect play in the same positions. It is not safe for concurrent use.
type Grader interface {
	// Positions is the number of positions.
	Positions() int
	// Grade grades a player; a network with its search and without. progress hears how many positions are done.
	Grade(ctx context.Context, player players.Spec, progress func(done int)) (grade.Report, error)
}

// Grader implements Game.
func (e Typed[S]) Grader(ctx context.Context, c GradeConfig, progress func(text string)) (Grader, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	problems, err := e.Problems(ctx, c, silent(progress))
	if err != nil {
		return nil, err
	}
	return typedGrader[S]{e, c, problems}, nil
}

type typedGrader[S game.State[S]] struct {
	engine   Typed[S]
	cfg      GradeConfig
	problems []grade.Problem[S]
}

// Positions implements Grader.
func (g typedGrader[S]) Positions() int { return len(g.problems) }

// Grade implements Grader.
func (g typedGrader[S]) Grade(ctx context.Context, player players.Spec, progress func(done int)) (grade.Report, error) {
	return g.engine.GradeBy(ctx, g.engine.Builder(g.cfg.Players), player, g.cfg.Sample, g.problems, progress)
}

// GradeBy puts problems to a player and, where it is a network that searches, to its bare policy.
func (e Typed[S]) GradeBy(ctx context.Context, builder players.Builder[S], spec players.Spec, sample grade.SampleConfig,
	problems []grade.Problem[S], progress func(done int)) (grade.Report, error) {
	players, err := withBarePolicy(builder, spec)
	if err != nil {
		return grade.Report{}, err
	}
	return grade.Run(ctx, grade.Config{Seed: sample.Seed, Workers: sample.Workers}, e.Rules, problems, players, progress)
}

// Problems reads or draws positions and solves them.
func (e Typed[S]) Problems(ctx context.Context, c GradeConfig, progress func(text string)) ([]grade.Problem[S], error) {
	exact, err := e.Exact.New(c.Solver)
	if err != nil {
		return nil, err
	}
	if c.File != "" {
		progress("solving " + c.File)
		f, err := os.Open(c.File)
		if err != nil {
			return nil, err
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
	problems := make([]grade.Problem[S], len(chosen))
	for i, moves := range chosen {
		progress(fmt.Sprintf("solving position %d/%d", i+1, len(chosen)))
		if problems[i], err = grade.NewProblem(ctx, e.Rules, exact, moves); err != nil {
			return nil, err
		}
	}
	return problems, nil
}

// choose returns the moves to the positions that are not from a file.
func (e Typed[S]) choose(ctx context.Context, c GradeConfig) ([][]game.Action, error) {
	if c.Every {
		all, err := grade.Every(ctx, e.Rules, MostGraded)
		if err != nil && ctx.Err() == nil {
			err = InputError{err}
		}
		return all, err
	}
	sample := c.Sample
	if sample.FromPly < 0 {
		if sample.FromPly = e.Exact.Quick; !e.Gradable() {
			return nil, InputErrorf("%s is quick to solve from ply %d on only: say with --from-ply from which ply on to draw positions",
				e.Rules.Name(), e.Exact.Quick)
		}
	}
	return e.draw(ctx, sample)
}

// Gradable reports whether the solver is quick in the greater part of a game.
func (e Typed[S]) Gradable() bool { return 2*e.Exact.Quick < e.Rules.MaxPlies() }

// draw samples positions from random games and from games of a player of middling strength.
func (e Typed[S]) draw(ctx context.Context, sample grade.SampleConfig) ([][]game.Action, error) {
	player, err := players.Builder[S]{Game: e.Rules}.Build(players.Spec{Kind: players.KindUCT, Limit: 200})
	if err != nil {
		return nil, err
	}
	return grade.Sample(ctx, sample, e.Rules, player)
}

package engine

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"

	"tengen/eval/grade"
	"tengen/game"
	"tengen/players"
	"tengen/solver"
)

// ProblemConfig selects positions for grading.
type ProblemConfig struct {
	// Positions says which:
	//
	//	random:N      N positions, drawn as Sample says
	//	every         all unfinished positions; a game with more than 100,000 is an error
	//	dev, final    a half of the game's exam
	//	ffo           the published endgames of Othello
	//	book:N        N hard positions of the opening book, see grade.BookExam
	//	FILE          a file with a position and its score per line
	Positions string
	// Sample says how random positions are drawn, except for their number. FromPly -1 draws those that a solver takes well
	// under a second for.
	Sample grade.SampleConfig
	Solver SolverOptions
}

const maxGraded = 100_000

// DefaultProblems returns the config for 300 drawn positions.
func DefaultProblems() ProblemConfig {
	return ProblemConfig{
		Positions: "random:300",
		Sample:    grade.SampleConfig{FromPly: -1, Seed: 1, Workers: runtime.GOMAXPROCS(0)},
		Solver:    DefaultSolverOptions(),
	}
}

// kind splits Positions: random and book have a number. What is no other kind is the name of a file.
func (c ProblemConfig) kind() (kind string, n int, err error) {
	kind, number, _ := strings.Cut(c.Positions, ":")
	if kind != "random" && kind != "book" {
		return c.Positions, 0, nil
	}
	if n, err = strconv.Atoi(number); err != nil || n < 1 {
		return "", 0, InputErrorf("positions are %q, but %s needs a number of 1 or more, such as %[2]s:300", c.Positions, kind)
	}
	return kind, n, nil
}

// Exam reports whether the positions come with the program.
func (c ProblemConfig) Exam() bool {
	kind, _, _ := c.kind()
	return kind == "dev" || kind == "final" || kind == "ffo" || kind == "book"
}

// Problems returns positions for Grade. It calls progress before each step.
func (e Typed[S]) Problems(ctx context.Context, c ProblemConfig, progress func(text string)) (grade.Set, error) {
	kind, n, err := c.kind()
	if err == nil {
		err = c.Solver.Validate()
	}
	if err != nil {
		return grade.Set{}, InputError{err}
	}
	switch kind {
	case "dev", "final":
		return e.half("exam", kind)
	case "ffo":
		return e.half("ffo", "final")
	}
	exact, err := e.Exact.New(c.Solver)
	if err != nil {
		return grade.Set{}, err
	}
	if progress == nil {
		progress = func(string) {}
	}
	var set grade.Set
	var chosen [][]game.Action
	var tried [][]solver.Score
	switch kind {
	case "book":
		set, err = grade.BookExam(ctx, e.Rules, exact, n)
	case "every":
		chosen, err = grade.Every(ctx, e.Rules, maxGraded)
	case "random":
		c.Sample.Positions = n
		chosen, tried, err = e.draw(ctx, c.Sample)
	default:
		progress("solving " + kind)
		return e.read(ctx, kind, exact)
	}
	if err != nil && ctx.Err() == nil {
		err = InputError{err}
	}
	if err != nil || kind == "book" {
		return set, err
	}
	problems := make([]grade.Problem, len(chosen))
	for i, moves := range chosen {
		if tried != nil { // in no stages of the game, since no ply says how far it is
			problems[i] = grade.Problem{Moves: moves, Parts: []string{"all"}, Scores: tried[i]}
			continue
		}
		progress(fmt.Sprintf("solving position %d/%d", i+1, len(chosen)))
		if problems[i], err = grade.Solve(ctx, e.Rules, exact, moves); err != nil {
			return set, err
		}
	}
	set = grade.Solved(problems)
	set.Missing = max(0, n-len(chosen))
	return set, nil
}

// draw returns the moves to positions drawn from games by random players and by uct:200. If they are tried, it also
// returns the scores of their moves.
func (e Typed[S]) draw(ctx context.Context, sample grade.SampleConfig) (chosen [][]game.Action, tried [][]solver.Score, err error) {
	var try func(context.Context, S) bool
	switch {
	case sample.FromPly < -1:
		return nil, nil, InputErrorf("from_ply is %d, but must be -1 or more", sample.FromPly)
	case sample.FromPly >= 0:
	case e.Exact.Try != nil:
		sample.FromPly = 0
		try = func(ctx context.Context, s S) bool {
			scores := e.Exact.Try(ctx, s)
			if scores != nil {
				tried = append(tried, scores)
			}
			return scores != nil
		}
	case e.Info().Gradable:
		sample.FromPly = e.Exact.Quick
	default:
		return nil, nil, InputErrorf("%s is quick to solve only from ply %d on: name with --from-ply the first ply to draw positions from",
			e.Rules.Name(), e.Exact.Quick)
	}
	if err := sample.Validate(); err != nil {
		return nil, nil, InputError{err}
	}
	player, err := players.Builder[S]{Game: e.Rules}.Build(players.Spec{Kind: players.KindUCT, Limit: 200})
	if err != nil {
		return nil, nil, err
	}
	chosen, err = grade.Sample(ctx, sample, e.Rules, try, player)
	return chosen, tried, err
}

// read reads the positions of a file, and solves them.
func (e Typed[S]) read(ctx context.Context, file string, exact solver.Solver[S]) (grade.Set, error) {
	f, err := os.Open(file)
	if err != nil {
		return grade.Set{}, InputErrorf(
			"cannot read the positions: %w: name a file, or write random:300, every, dev, final, ffo or book:300", err)
	}
	defer f.Close()
	problems, err := grade.ReadProblems(ctx, f, e.Rules, exact)
	if err != nil {
		return grade.Set{}, fmt.Errorf("%s, %w", file, err)
	}
	return grade.Solved(problems), nil
}

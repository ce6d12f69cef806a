package engine

import (
	"context"
	"fmt"
	"math"
	"runtime"

	"tengen/arena"
	"tengen/arena/exam"
	"tengen/arena/gomoku"
	"tengen/arena/grade"
	"tengen/game"
	"tengen/game/connect4"
	"tengen/game/mnk"
	"tengen/train/rundir"
)

// ExamConfig says who takes an exam.
type ExamConfig struct {
	Player  arena.Spec // a network takes it with its search and without
	Players PlayerOptions
	Half    exam.Half
	Seed    uint64 // of the player's random choices
	Workers int    // goroutines
}

// DefaultExam is the half for development, on all cores.
func DefaultExam() ExamConfig {
	return ExamConfig{Half: exam.Dev, Seed: 1, Workers: runtime.GOMAXPROCS(0)}
}

// ExamReport is an exam.Report or a gomoku.Report. Both are written as JSON.
type ExamReport interface {
	// Text is the report for people.
	Text() string
}

// Exam implements Engine.
func (e typed[S]) Exam(ctx context.Context, c ExamConfig, progress func(done, total int)) (ExamReport, error) {
	if !e.hasExam() {
		return nil, InputError{e.noExam()}
	}
	if progress == nil {
		progress = func(int, int) {}
	}
	return e.exam(ctx, e.builder(c.Players), c, math.MaxInt, progress)
}

// hasExam reports whether there is an exam of the game.
func (e typed[S]) hasExam() bool {
	name := e.game.Name()
	return name == connect4.Standard().Name() || name == gomoku.Board.Name()
}

// noExam is the error where there is none.
func (e typed[S]) noExam() error {
	return fmt.Errorf("there is an exam for connect4 and gomoku only, not for %s", e.game.Name())
}

// exam puts at most so many positions of the game's exam, which there must be, to a player of the builder.
func (e typed[S]) exam(ctx context.Context, builder arena.Builder[S], c ExamConfig, positions int,
	progress func(done, total int)) (ExamReport, error) {
	players, err := withBarePolicy(builder, c.Player)
	if err != nil {
		return nil, err
	}
	cfg := grade.Config{Seed: c.Seed, Workers: c.Workers}
	told := func(total int) func(done int) { return func(done int) { progress(done, total) } }
	switch players := any(players).(type) {
	case []arena.Entrant[connect4.State]:
		problems := spread(exam.Connect4(c.Half), positions)
		return exam.Grade(ctx, cfg, problems, players, told(len(problems)))
	case []arena.Entrant[mnk.State]:
		problems := spread(gomoku.Exam(c.Half), positions)
		return gomoku.Grade(ctx, cfg, problems, players, told(len(problems)))
	}
	panic("engine: no exam for " + e.game.Name())
}

// spread returns n elements of all, in their order and at equal distances, or all if they are no more.
func spread[T any](all []T, n int) []T {
	if n >= len(all) {
		return all
	}
	some := make([]T, n)
	for i := range some {
		some[i] = all[i*len(all)/n]
	}
	return some
}

// examParts are the parts of a report on a network, with its search and without.
func examParts(report ExamReport) (parts []rundir.ExamPart) {
	add := func(name fmt.Stringer, search, policy grade.Share) {
		parts = append(parts, rundir.ExamPart{Part: name.String(), Positions: search.Of, Search: proportion(search), Policy: proportion(policy)})
	}
	switch report := report.(type) {
	case exam.Report:
		for _, p := range report {
			add(p.Cell, p.Players[0].Totals.Kept, p.Players[len(p.Players)-1].Totals.Kept)
		}
	case gomoku.Report:
		for _, p := range report {
			add(p.Cell, p.Players[0].Right, p.Players[len(p.Players)-1].Right)
		}
	}
	return parts
}

func proportion(s grade.Share) rundir.Proportion {
	low, high := s.Interval()
	return rundir.Proportion{Share: s.Value(), Low: low, High: high}
}

// withBarePolicy is the player and, where it is a network that searches, its bare policy.
func withBarePolicy[S game.State[S]](builder arena.Builder[S], spec arena.Spec) ([]arena.Entrant[S], error) {
	specs := []arena.Spec{spec}
	if spec.Kind == arena.KindNet && (spec.Limit != 0 || spec.Time != 0) {
		specs = append(specs, arena.Spec{Kind: arena.KindNet, Path: spec.Path, Limit: 0})
	}
	var players []arena.Entrant[S]
	for _, spec := range specs {
		player, err := builder.Build(spec)
		if err != nil {
			return nil, err
		}
		players = append(players, player)
	}
	return players, nil
}

package engine

import (
	"context"
	"runtime"

	"tengen/arena"
	"tengen/arena/exam"
	"tengen/arena/gomoku"
	"tengen/arena/grade"
	"tengen/game"
	"tengen/game/connect4"
	"tengen/game/mnk"
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
	cfg := grade.Config{Seed: c.Seed, Workers: c.Workers}
	told := func(total int) func(done int) {
		return func(done int) {
			if progress != nil {
				progress(done, total)
			}
		}
	}
	switch e := any(e).(type) {
	case typed[connect4.State]:
		if e.game.Name() != connect4.Standard().Name() {
			break
		}
		players, err := withBarePolicy(e.builder(c.Players), c.Player)
		if err != nil {
			return nil, err
		}
		problems := exam.Connect4(c.Half)
		return exam.Grade(ctx, cfg, problems, players, told(len(problems)))
	case typed[mnk.State]:
		if e.game.Name() != gomoku.Board.Name() {
			break
		}
		players, err := withBarePolicy(e.builder(c.Players), c.Player)
		if err != nil {
			return nil, err
		}
		problems := gomoku.Exam(c.Half)
		return gomoku.Grade(ctx, cfg, problems, players, told(len(problems)))
	}
	return nil, inputErrorf("there is an exam for connect4 and gomoku only, not for %s", e.game.Name())
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

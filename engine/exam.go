package engine

import (
	"context"
	"runtime"

	"tengen/arena"
	"tengen/arena/exam"
	"tengen/arena/grade"
	"tengen/game"
	"tengen/game/connect4"
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

// Exam implements Engine.
func (e typed[S]) Exam(ctx context.Context, c ExamConfig, progress func(done, total int)) ([]exam.Part, error) {
	standard, ok := any(e).(typed[connect4.State])
	if !ok || e.game.Name() != connect4.Standard().Name() {
		return nil, inputErrorf("there is an exam for connect4 only, not for %s", e.game.Name())
	}
	players, err := withBarePolicy(standard.builder(c.Players), c.Player)
	if err != nil {
		return nil, err
	}
	problems := exam.Connect4(c.Half)
	return exam.Grade(ctx, grade.Config{Seed: c.Seed, Workers: c.Workers}, problems, players, func(done int) {
		if progress != nil {
			progress(done, len(problems))
		}
	})
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

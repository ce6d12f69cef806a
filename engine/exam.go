package engine

import (
	"context"
	"fmt"
	"math"
	"runtime"

	"tengen/eval/grade"
	"tengen/game"
	"tengen/players"
)

// ExamConfig says who takes an exam.
type ExamConfig struct {
	Player  players.Spec // a network takes it with its search and without
	Players PlayerOptions
	Half    grade.Half
	Seed    uint64 // of the player's random choices
	Workers int    // goroutines
}

// DefaultExam is the half for development, on all cores.
func DefaultExam() ExamConfig {
	return ExamConfig{Half: grade.Dev, Seed: 1, Workers: runtime.GOMAXPROCS(0)}
}

// Exam implements Game.
func (e Typed[S]) Exam(ctx context.Context, c ExamConfig, progress func(done, total int)) (grade.ExamReport, error) {
	if err := e.NoExam(); err != nil {
		return nil, InputError{err}
	}
	if progress == nil {
		progress = func(int, int) {}
	}
	return e.Examine(ctx, e.Builder(c.Players), c, math.MaxInt, progress)
}

// NoExam is an error where the game has no exam.
func (e Typed[S]) NoExam() error {
	if e.exam == nil {
		return fmt.Errorf("there is no exam of %s", e.Rules.Name())
	}
	return nil
}

// Examine puts at most so many positions of the game's exam, which there must be, to a player of the builder.
func (e Typed[S]) Examine(ctx context.Context, builder players.Builder[S], c ExamConfig, positions int,
	progress func(done, total int)) (grade.ExamReport, error) {
	players, err := withBarePolicy(builder, c.Player)
	if err != nil {
		return nil, err
	}
	return e.exam.Take(ctx, grade.Config{Seed: c.Seed, Workers: c.Workers}, c.Half, positions, players, progress)
}

// withBarePolicy is the player and, where it is a network that searches, its bare policy.
func withBarePolicy[S game.State[S]](builder players.Builder[S], spec players.Spec) ([]players.Entrant[S], error) {
	specs := []players.Spec{spec}
	if spec.Kind == players.KindNet && (spec.Limit != 0 || spec.Time != 0) {
		specs = append(specs, players.Spec{Kind: players.KindNet, Path: spec.Path, Limit: 0})
	}
	var players []players.Entrant[S]
	for _, spec := range specs {
		player, err := builder.Build(spec)
		if err != nil {
			return nil, err
		}
		players = append(players, player)
	}
	return players, nil
}

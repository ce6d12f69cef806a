package engine

import (
	"context"
	"fmt"
	"math"
	"runtime"

	"tengen/eval/grade"
	"tengen/game"
	"tengen/players"
	"tengen/train/checkpoint"
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

// Exam implements Engine.
func (e typed[S]) Exam(ctx context.Context, c ExamConfig, progress func(done, total int)) (grade.ExamReport, error) {
	if e.exam == nil {
		return nil, InputError{e.noExam()}
	}
	if progress == nil {
		progress = func(int, int) {}
	}
	return e.examine(ctx, e.builder(c.Players), c, math.MaxInt, progress)
}

// noExam is the error where there is none.
func (e typed[S]) noExam() error { return fmt.Errorf("there is no exam of %s", e.game.Name()) }

// examine puts at most so many positions of the game's exam, which there must be, to a player of the builder.
func (e typed[S]) examine(ctx context.Context, builder players.Builder[S], c ExamConfig, positions int,
	progress func(done, total int)) (grade.ExamReport, error) {
	players, err := withBarePolicy(builder, c.Player)
	if err != nil {
		return nil, err
	}
	return e.exam.Take(ctx, grade.Config{Seed: c.Seed, Workers: c.Workers}, c.Half, positions, players, progress)
}

// examParts are the parts of a report on a network, with its search and without.
func examParts(report grade.ExamReport) (parts []checkpoint.ExamPart) {
	for _, p := range report.Parts() {
		parts = append(parts, checkpoint.ExamPart{Part: p.Name, Positions: p.Positions,
			Search: proportion(p.Right[0]), Policy: proportion(p.Right[len(p.Right)-1])})
	}
	return parts
}

func proportion(s grade.Share) checkpoint.Proportion {
	low, high := s.Interval()
	return checkpoint.Proportion{Share: s.Value(), Low: low, High: high}
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

package engine

import (
	"context"

	"tengen/eval"
	"tengen/eval/grade"
	"tengen/players"
)

// MatchConfig configures Game.Match.
type MatchConfig struct {
	// Openings selects balanced openings, "dev" or "final". "" means random openings.
	Openings string
	eval.MatchConfig
}

// Match has a player play against another. It panics if a player is of another game.
func (e Typed[S]) Match(ctx context.Context, c MatchConfig, p, against Player, progress func(eval.Result)) (eval.Result, error) {
	if err := c.Validate(); err != nil {
		return eval.Result{}, InputError{err}
	}
	if c.Openings != "" {
		set, err := e.half("openings", c.Openings)
		if err != nil {
			return eval.Result{}, err
		}
		c.Fixed = eval.FixedOpenings{Name: "the balanced set, " + c.Openings}
		for _, problem := range set.Problems {
			c.Fixed.Moves = append(c.Fixed.Moves, problem.Moves)
		}
	}
	return eval.Play(ctx, c.MatchConfig, e.Rules, p.(players.Player[S]), against.(players.Player[S]),
		func(_ eval.MatchGame, r eval.Result) {
			if progress != nil {
				progress(r)
			}
		})
}

// Grade grades a player, and a searching network also without search.
func (e Typed[S]) Grade(ctx context.Context, c grade.Config, p Player, set grade.Set, progress func(done int)) (grade.Report, error) {
	graded := []players.Player[S]{p.(players.Player[S])}
	if graded[0].Policy != nil {
		policy, err := graded[0].Policy()
		if err != nil {
			return grade.Report{}, err
		}
		graded = append(graded, policy)
	}
	return grade.Run(ctx, c, e.Rules, set, graded, progress)
}

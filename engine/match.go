package engine

import (
	"context"

	"tengen/eval"
	"tengen/eval/grade"
	"tengen/players"
)

// MatchConfig configures Player.Match.
type MatchConfig struct {
	// Openings selects balanced openings, "dev" or "final". "" means random openings.
	Openings string
	eval.MatchConfig
}

// Match implements Player.
func (p typedPlayer[S]) Match(ctx context.Context, c MatchConfig, against Player, progress func(eval.Result)) (eval.Result, error) {
	if err := c.Validate(); err != nil {
		return eval.Result{}, InputError{err}
	}
	if c.Openings != "" {
		set, err := p.engine.half("openings", c.Openings)
		if err != nil {
			return eval.Result{}, err
		}
		c.Fixed = eval.FixedOpenings{Name: "the balanced set, " + c.Openings}
		for _, problem := range set.Problems {
			c.Fixed.Moves = append(c.Fixed.Moves, problem.Moves)
		}
	}
	return eval.Play(ctx, c.MatchConfig, p.engine.Rules, p.Factory, against.(typedPlayer[S]).Factory,
		func(_ eval.MatchGame, r eval.Result) {
			if progress != nil {
				progress(r)
			}
		})
}

// Grade implements Player.
func (p typedPlayer[S]) Grade(ctx context.Context, c grade.Config, set grade.Set, progress func(done int)) (grade.Report, error) {
	graded := []players.Factory[S]{p.Factory}
	if s := p.spec; s.Kind == players.KindNet && (s.Limit != 0 || s.Time != 0) {
		policy, err := p.builder.Build(players.Spec{Kind: players.KindNet, Path: s.Path})
		if err != nil {
			return grade.Report{}, err
		}
		graded = append(graded, policy)
	}
	return grade.Run(ctx, c, p.engine.Rules, set, graded, progress)
}

package engine

import (
	"context"
	"errors"

	"tengen/eval"
	"tengen/eval/grade"
	"tengen/players"
)

// MatchConfig configures Game.Match.
type MatchConfig struct {
	// Openings selects balanced openings, "dev" or "final". "" means random openings.
	Openings string
	eval.MatchConfig
	GamesFile string // a file that keeps the games, see eval.GamesFile; "": none
}

// Match has a player play against another, and closes both. It panics if a player is of another game.
func (e Typed[S]) Match(ctx context.Context, c MatchConfig, p, against Player, progress func(eval.MatchGame, eval.Result)) (result eval.Result, err error) {
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
	defer p.Close()
	defer against.Close()
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	keep := func(eval.MatchGame) error { return nil }
	if c.GamesFile != "" {
		file, played, err := eval.OpenGames(c.GamesFile, c.MatchConfig, e.Rules, p.String(), against.String())
		if err != nil {
			return eval.Result{}, InputError{err}
		}
		defer func() { err = errors.Join(err, file.Close()) }()
		c.Played, keep = played, file.Add
	}
	result, err = eval.Play(ctx, c.MatchConfig, e.Rules, p.(players.Player[S]), against.(players.Player[S]),
		func(g eval.MatchGame, r eval.Result) {
			if err := keep(g); err != nil {
				stop(err)
			}
			if progress != nil {
				progress(g, r)
			}
		})
	if cause := context.Cause(ctx); cause != nil {
		err = cause
	}
	return result, err
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

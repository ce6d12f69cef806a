package engine

import (
	"context"

	"tengen/eval"
	"tengen/eval/grade"
	"tengen/players"
)

// Match is a match between two players.
type Match struct {
	Player, Against players.Spec
	Players         PlayerOptions
	// Openings names a half of the game's balanced openings, "dev" or "final", to be played in place of random ones; "": none.
	Openings string
	eval.MatchConfig
}

// balanced returns the balanced openings of the game.
func (e Typed[S]) balanced(half string) (eval.FixedOpenings, error) {
	h, err := grade.ParseHalf(half)
	if err != nil {
		return eval.FixedOpenings{}, InputErrorf("openings are %w", err)
	}
	fixed := eval.FixedOpenings{Name: "the balanced ones, " + h.String()}
	if e.openings != nil {
		fixed.Moves = e.openings(h)
	}
	if len(fixed.Moves) == 0 {
		return fixed, InputErrorf("there are no balanced openings of %s", e.Rules.Name())
	}
	return fixed, nil
}

// Match implements Game. When it is cancelled or fails, the error comes with the result of the games so far.
func (e Typed[S]) Match(ctx context.Context, m Match, progress func(eval.Result)) (eval.Result, error) {
	if err := m.Validate(); err != nil {
		return eval.Result{}, InputError{err}
	}
	if m.Openings != "" {
		fixed, err := e.balanced(m.Openings)
		if err != nil {
			return eval.Result{}, err
		}
		m.Fixed = fixed
	}
	builder := e.Builder(m.Players)
	player, err := builder.Build(m.Player)
	if err != nil {
		return eval.Result{}, err
	}
	against, err := builder.Build(m.Against)
	if err != nil {
		return eval.Result{}, err
	}
	return eval.Play(ctx, m.MatchConfig, e.Rules, player, against, func(_ eval.MatchGame, r eval.Result) {
		if progress != nil {
			progress(r)
		}
	})
}

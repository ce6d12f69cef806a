package run

import (
	"cmp"
	"context"
	"path/filepath"
	"slices"

	"tengen/engine"
	"tengen/eval"
	"tengen/eval/grade"
	"tengen/internal/limits"
	"tengen/players"
	"tengen/train/checkpoint"
)

// LadderConfig configures Ladder.
type LadderConfig struct {
	Runs        []string       // directories
	Against     []players.Spec // fixed opponents; the first is the anchor at 0 Elo
	Models      int            // maximum per run, at least 1 (see checkpoint.SpreadModels)
	Simulations int            // per model move; 0: the bare network
	Players     engine.PlayerOptions
	eval.MatchConfig
	Finished func(eval.MatchGame, eval.Result) // called after each game of a match; nil: nothing is
}

// LadderResult holds the ratings of models.
type LadderResult struct {
	eval.Standings // fixed opponents, then Models
	Models         []checkpoint.PublishedModel
}

// Measured returns the ratings of one run's models for its chart.
func (c *LadderResult) Measured(dir string) (list []checkpoint.Measured) {
	fixed, series := len(c.Players)-len(c.Models), "above "+c.Players[0].Name
	for i, m := range c.Models {
		if filepath.Dir(m.File) == filepath.Clean(dir) {
			r := c.Players[fixed+i].Rating
			list = append(list, checkpoint.Measured{Iteration: m.Iteration, Points: []checkpoint.Point{checkpoint.Between(series, r.Elo, r.Low, r.High)}})
		}
	}
	return list
}

// Ladder rates models by matches with each other and with fixed opponents. It calls progress after each match. If a
// match fails, it returns the standings so far with the error.
func Ladder(ctx context.Context, e engine.Game, l LadderConfig, progress func(played, matches int, last eval.Result)) (*LadderResult, error) {
	err := cmp.Or(
		limits.Int("checkpoints", l.Models, 1, 1_000_000),
		limits.Int("simulations", l.Simulations, 0, 10_000_000),
		l.MatchConfig.Validate(),
	)
	if err != nil {
		return nil, engine.InputError{Err: err}
	}
	c := &LadderResult{}
	for _, dir := range l.Runs {
		some, err := checkpoint.SpreadModels(dir, l.Models)
		if err != nil {
			return nil, err
		}
		c.Models = append(c.Models, some...)
	}
	// Neighbours in this order play each other, so they should have similar ages.
	slices.SortStableFunc(c.Models, func(a, b checkpoint.PublishedModel) int { return cmp.Compare(a.Games, b.Games) })
	specs := slices.Clone(l.Against)
	for _, m := range c.Models {
		specs = append(specs, players.Spec{Kind: players.KindNet, Path: m.File, Limit: l.Simulations})
	}
	var all []engine.Player
	var names []string
	for _, spec := range specs {
		player, err := e.Player(spec, l.Players)
		if err != nil {
			return nil, err
		}
		all, names = append(all, player), append(names, player.String())
	}
	fixed := len(l.Against)
	matches, played := len(eval.Schedule(fixed, len(c.Models))), 0
	c.Standings, err = eval.Ladder(l.MatchConfig, e.Info().Name, names[:fixed], names[fixed:],
		func(cfg eval.MatchConfig, player, against int) (eval.Result, error) {
			return e.Match(ctx, engine.MatchConfig{MatchConfig: cfg}, all[player], all[against], l.Finished)
		},
		func(r eval.Result) {
			played++
			progress(played, matches, r)
		})
	c.Short = map[string]string{}
	for i, m := range c.Models {
		c.Short[names[fixed+i]] = m.Label()
	}
	return c, err
}

// Mistakes returns how often models miss the best move, in percent, for a chart. reports[i] is about models[i].
func Mistakes(models []checkpoint.PublishedModel, reports []grade.Report) []checkpoint.Measured {
	all := make([]checkpoint.Measured, len(models))
	for i, r := range reports {
		all[i].Iteration = models[i].Iteration
		add := func(series string, t grade.Totals) {
			if t.Positions() == 0 {
				return
			}
			best := t.Optimal.Interval()
			point := checkpoint.Between(series, 100*(1-best.Share), 100*(1-best.High), 100*(1-best.Low))
			all[i].Points = append(all[i].Points, point)
		}
		for _, stage := range []string{"beginning", "middle", "end"} {
			add("search, "+stage, r.Players[0].Parts[stage])
		}
		if all[i].Points == nil {
			add("search, all", r.Players[0].Parts["all"]) // the positions are in no stages
		}
		if len(r.Players) > 1 {
			add("bare network, all", r.Players[1].Parts["all"])
		}
	}
	return all
}

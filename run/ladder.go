package run

import (
	"cmp"
	"context"
	"path/filepath"
	"slices"

	"tengen/engine"
	"tengen/eval"
	"tengen/internal/limits"
	"tengen/players"
	"tengen/train/checkpoint"
)

// LadderConfig says which models are rated, and how.
type LadderConfig struct {
	Runs        []string       // their directories
	Against     []players.Spec // the first of them has 0 Elo
	Models      int            // of each run at most, at least 1, evenly spread from the first to the last
	Simulations int            // a move of the models; 0: the bare policy
	Players     engine.PlayerOptions
	eval.MatchConfig
}

// Validate names the first value that is out of range.
func (l LadderConfig) Validate() error {
	if len(l.Runs) == 0 {
		return engine.InputErrorf("which runs? Name their directories")
	}
	err := limits.Check("",
		limits.Int("checkpoints", l.Models, 1, 1_000_000),
		limits.Int("simulations", l.Simulations, 0, 10_000_000),
	)
	if err == nil {
		err = l.MatchConfig.Validate()
	}
	return asInput(err)
}

// LadderResult are the ratings of models.
type LadderResult struct {
	eval.Standings // the fixed opponents first, then Models
	Models         []checkpoint.PublishedModel
}

// Measured are the ratings of the models of the run in a directory, for its chart.
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

// Ladder rates the models of runs by matches among them and with fixed opponents. It calls progress after each match.
func Ladder(ctx context.Context, e engine.Game, l LadderConfig, progress func(played, matches int, last eval.Result)) (*LadderResult, error) {
	if err := l.Validate(); err != nil {
		return nil, err
	}
	c := &LadderResult{}
	for _, dir := range l.Runs {
		some, err := SpreadModels(dir, l.Models)
		if err != nil {
			return nil, err
		}
		c.Models = append(c.Models, some...)
	}
	// Models of several runs are put in such an order that those of the same age are neighbours.
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
		all, names = append(all, player), append(names, player.Name())
	}
	fixed := len(l.Against)
	matches, played := len(eval.Schedule(fixed, len(c.Models))), 0
	var err error
	c.Standings, err = eval.Ladder(l.MatchConfig, e.Info().Name, names[:fixed], names[fixed:],
		func(cfg eval.MatchConfig, player, against int) (eval.Result, error) {
			return all[player].Match(ctx, engine.MatchConfig{MatchConfig: cfg}, all[against], nil)
		},
		func(r eval.Result) {
			played++
			if progress != nil {
				progress(played, matches, r)
			}
		})
	return c, err
}

// SpreadModels returns at most n published models of a run, at least 1: the last, and others evenly between it and the first.
func SpreadModels(dir string, n int) ([]checkpoint.PublishedModel, error) {
	all, err := checkpoint.Models(dir)
	if err != nil || len(all) <= n {
		return all, err
	}
	if n <= 1 {
		return all[len(all)-1:], nil
	}
	some := make([]checkpoint.PublishedModel, n)
	for i := range some {
		some[i] = all[i*(len(all)-1)/(n-1)]
	}
	return some, nil
}

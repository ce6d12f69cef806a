package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"tengen/arena"
	"tengen/internal/chart"
	"tengen/train/rundir"
)

type ladderOptions struct {
	dirs        []string
	fixed       []arena.Spec
	checkpoints int // of each run, at most
	simulations int
	match       arena.MatchConfig
	json        bool
}

func newLadder() *cobra.Command {
	var flags configFlags
	var fixed []string
	opt := ladderOptions{match: arena.Default()}
	cmd := &cobra.Command{
		Use:   "ladder DIR...",
		Short: "Rate the checkpoints of runs by matches among them and with fixed opponents",
		Long: "ladder lets the checkpoints of run directories play those 1, 2, 4, 8 ... before them and the fixed opponents,\n" +
			"and rates all players by the likeliest explanation of the results (Bradley-Terry with draws). The first fixed\n" +
			"opponent is at 0 Elo. It draws the ratings over games and over hours into the first directory.",
		Example: "  tengen ladder checkpoints/connect4 --against random,uct:1000",
		Args:    cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, dirs []string) error {
			if len(dirs) == 0 {
				return usageError{fmt.Errorf("which runs? Name their directories: tengen ladder checkpoints/connect4")}
			}
			opt.dirs = dirs
			for _, text := range fixed {
				spec, err := parseEngine("--against", text)
				if err != nil {
					return err
				}
				opt.fixed = append(opt.fixed, spec)
			}
			switch {
			case opt.checkpoints < 1:
				return usageError{fmt.Errorf("--checkpoints is %d, it must be at least 1", opt.checkpoints)}
			case opt.simulations < 0:
				return usageError{fmt.Errorf("--simulations is %d, it must be at least 0", opt.simulations)}
			}
			if err := opt.match.Validate(); err != nil {
				return usageError{err}
			}
			newest := arena.Spec{Kind: arena.KindNet, Path: dirs[0], Limit: arena.Unset}
			cfg, p, err := resolve(&flags, "", newest)
			if err != nil {
				return err
			}
			return p.ladder(cmd.Context(), cmd, cfg, opt)
		},
	}
	flags.register(cmd, "")
	opt.match.Games = 20
	cmd.Flags().StringSliceVar(&fixed, "against", []string{"random", "uct:1000"}, "`SPECs` of the fixed opponents, separated by commas")
	cmd.Flags().IntVar(&opt.checkpoints, "checkpoints", 10, "most checkpoints of a run, evenly spread from the first to the last")
	cmd.Flags().IntVar(&opt.simulations, "simulations", 100, "simulations a move of the checkpoints; 0: the bare policy")
	cmd.Flags().IntVar(&opt.match.Games, "games", opt.match.Games, "number of games of each match")
	cmd.Flags().IntVar(&opt.match.OpeningPlies, "opening-plies", opt.match.OpeningPlies, "random moves at the start of a game")
	cmd.Flags().Uint64Var(&opt.match.Seed, "seed", opt.match.Seed, "seed of the openings and of the players' random choices")
	cmd.Flags().IntVar(&opt.match.Workers, "workers", opt.match.Workers, "number of goroutines")
	cmd.Flags().BoolVar(&opt.json, "json", false, "print a JSON object")
	return cmd
}

func (b bound[S]) ladder(ctx context.Context, cmd *cobra.Command, cfg Config, opt ladderOptions) error {
	builder := b.builder(cfg)
	var fixed, rungs []arena.Entrant[S]
	for _, spec := range opt.fixed {
		entrant, err := builder.Build(spec)
		if err != nil {
			return err
		}
		fixed = append(fixed, entrant)
	}
	var checkpoints []rundir.PublishedModel
	for _, dir := range opt.dirs {
		some, err := spread(dir, opt.checkpoints)
		if err != nil {
			return err
		}
		checkpoints = append(checkpoints, some...)
	}
	slices.SortStableFunc(checkpoints, byGames)
	for _, c := range checkpoints {
		entrant, err := builder.Build(arena.Spec{Kind: arena.KindNet, Path: c.File, Limit: opt.simulations})
		if err != nil {
			return err
		}
		rungs = append(rungs, entrant)
	}

	live := newStatusLine(cmd.ErrOrStderr())
	matches, played := len(arena.Schedule(len(fixed), len(rungs))), 0
	standings, err := arena.Ladder(ctx, opt.match, b.game, fixed, rungs, func(r arena.Result) {
		played++
		live.Set(fmt.Sprintf("match %d/%d  %s", played, matches, r))
	})
	live.Clear()
	if err != nil {
		if ctx.Err() != nil {
			err = errInterrupted
		}
		return fmt.Errorf("%w after %d of %d matches", err, played, matches)
	}
	if err := drawLadder(cmd, opt, checkpoints, standings); err != nil {
		return err
	}
	if opt.json {
		e := json.NewEncoder(cmd.OutOrStdout())
		e.SetIndent("", "  ")
		return e.Encode(standings)
	}
	_, err = fmt.Fprint(cmd.OutOrStdout(), standings.Table())
	return err
}

// byGames orders checkpoints of several runs such that those of the same age are neighbours.
func byGames(a, b rundir.PublishedModel) int { return cmp.Compare(a.Games, b.Games) }

// spread returns at most n checkpoints of a run: the last, and others evenly between it and the first.
func spread(dir string, n int) ([]rundir.PublishedModel, error) {
	all, err := rundir.Models(dir)
	if err != nil || len(all) <= n {
		return all, err
	}
	if n == 1 {
		return all[len(all)-1:], nil
	}
	some := make([]rundir.PublishedModel, n)
	for i := range some {
		some[i] = all[i*(len(all)-1)/(n-1)]
	}
	return some, nil
}

// drawLadder writes pictures of the checkpoints' ratings, and tells where.
func drawLadder(cmd *cobra.Command, opt ladderOptions, checkpoints []rundir.PublishedModel, s arena.Standings) error {
	anchor := s.Players[0].Name
	games := chart.Line{Title: "Strength along the run", XLabel: "self-play games", YLabel: "Elo above " + anchor}
	hours := chart.Line{Title: games.Title, XLabel: "hours of training", YLabel: games.YLabel}
	for _, dir := range opt.dirs {
		overGames := chart.Series{Name: filepath.Base(dir)}
		overHours := overGames
		for i, c := range checkpoints {
			if filepath.Dir(c.File) != filepath.Clean(dir) {
				continue
			}
			r := s.Players[len(opt.fixed)+i].Rating
			overGames.X = append(overGames.X, float64(c.Games))
			overHours.X = append(overHours.X, c.Time.Hours())
			overGames.Y, overGames.Low, overGames.High = append(overGames.Y, r.Elo), append(overGames.Low, r.Low), append(overGames.High, r.High)
		}
		overHours.Y, overHours.Low, overHours.High = overGames.Y, overGames.Low, overGames.High
		games.Series, hours.Series = append(games.Series, overGames), append(hours.Series, overHours)
	}
	if err := savePictures(cmd, games, filepath.Join(opt.dirs[0], "elo-games")); err != nil {
		return err
	}
	return savePictures(cmd, hours, filepath.Join(opt.dirs[0], "elo-hours"))
}

// savePictures writes a picture as SVG and as PNG, and tells where.
func savePictures(cmd *cobra.Command, picture chart.Line, path string) error {
	for _, extension := range []string{".svg", ".png"} {
		if err := picture.Save(path + extension); err != nil {
			return err
		}
	}
	fmt.Fprintf(cmd.ErrOrStderr(), "pictures: %s.svg, %s.png\n", path, path)
	return nil
}

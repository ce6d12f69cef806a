package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"tengen/arena"
	"tengen/arena/grade"
	"tengen/game"
	"tengen/internal/chart"
	"tengen/train"
)

type gradeOptions struct {
	player      arena.Spec
	positions   string // file, empty to sample
	sample      grade.SampleConfig
	checkpoints int // of a run directory, graded for the picture
	workers     int
	solver      solverOptions
	json        bool
}

func newGrade() *cobra.Command {
	var flags configFlags
	var player, gameName string
	opt := gradeOptions{
		sample: grade.SampleConfig{Positions: 300, FromPly: -1, RandomMoves: 0.1, Seed: 1},
		solver: defaultSolverOptions(),
	}
	cmd := &cobra.Command{
		Use:   "grade --player SPEC",
		Short: "Grade a player's moves against perfect play",
		Long: "grade compares a player with perfect play, position by position: how often its move is among the best, how\n" +
			"often it keeps a win won and a draw drawn, and what it thinks of positions. A network is graded with its search\n" +
			"and without. The positions come from a file of lines \"position score\", or are drawn from random games and\n" +
			"games of uct:200. For a run directory it also draws the share of mistakes along the run, into that directory.",
		Example: "  tengen grade --player net:checkpoints/connect4:100\n" +
			"  tengen grade --player uct:1000 --game connect4 --positions positions.txt",
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			var err error
			if opt.player, err = parseEngine("--player", player); err != nil {
				return err
			}
			if err := opt.validate(); err != nil {
				return usageError{err}
			}
			cfg, p, err := resolve(&flags, gameName, opt.player)
			if err != nil {
				return err
			}
			return p.grade(cmd.Context(), cmd, cfg, opt)
		},
	}
	flags.register(cmd, "")
	cmd.Flags().StringVar(&player, "player", "", "the player's `SPEC`: "+arena.Forms())
	cmd.Flags().StringVar(&gameName, "game", "", "`name` of the game, where the player's model does not tell")
	cmd.Flags().StringVar(&opt.positions, "positions", "", "`file` of positions with their scores")
	cmd.Flags().IntVar(&opt.sample.Positions, "sample", opt.sample.Positions, "number of positions to draw where no file is given")
	cmd.Flags().IntVar(&opt.sample.FromPly, "from-ply", opt.sample.FromPly, "fewest stones of a position drawn; -1: as few as the solver is quick with")
	cmd.Flags().Uint64Var(&opt.sample.Seed, "seed", opt.sample.Seed, "seed of the positions and of the player's random choices")
	cmd.Flags().IntVar(&opt.checkpoints, "checkpoints", 10, "most checkpoints in the picture of a run; 0: no picture")
	cmd.Flags().IntVar(&opt.workers, "workers", arena.Default().Workers, "number of goroutines")
	cmd.Flags().BoolVar(&opt.json, "json", false, "print a JSON object")
	opt.solver.register(cmd)
	return cmd
}

func (o gradeOptions) validate() error {
	switch {
	case o.sample.Positions < 1:
		return fmt.Errorf("--sample is %d, it must be at least 1", o.sample.Positions)
	case o.sample.FromPly < -1:
		return fmt.Errorf("--from-ply is %d, it must be at least -1", o.sample.FromPly)
	case o.checkpoints < 0:
		return fmt.Errorf("--checkpoints is %d, it must be at least 0", o.checkpoints)
	case o.workers < 1:
		return fmt.Errorf("--workers is %d, it must be at least 1", o.workers)
	}
	return o.solver.validate()
}

func (b bound[S]) grade(ctx context.Context, cmd *cobra.Command, cfg Config, opt gradeOptions) error {
	live := newStatusLine(cmd.ErrOrStderr())
	defer live.Clear()
	problems, err := b.problems(ctx, opt, live)
	if err != nil {
		return err
	}
	players, err := graded(b.builder(cfg), opt.player)
	if err != nil {
		return err
	}
	report, err := b.compare(ctx, opt, problems, players, live)
	if err != nil {
		return err
	}
	live.Clear()
	if opt.json {
		e := json.NewEncoder(cmd.OutOrStdout())
		e.SetIndent("", "  ")
		err = e.Encode(report)
	} else {
		_, err = fmt.Fprint(cmd.OutOrStdout(), report.Table())
	}
	if err != nil || opt.checkpoints == 0 || opt.player.Kind != arena.KindNet || !isDirectory(opt.player.Path) {
		return err
	}
	return b.drawMistakes(ctx, cmd, cfg, opt, problems, live)
}

func isDirectory(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// compare is grade.Run with the progress on the status line.
func (b bound[S]) compare(ctx context.Context, opt gradeOptions, problems []grade.Problem[S],
	players []arena.Entrant[S], live *statusLine) (grade.Report, error) {
	return grade.Run(ctx, grade.Config{Seed: opt.sample.Seed, Workers: opt.workers}, b.game, problems, players,
		func(done int) {
			live.Set(fmt.Sprintf("%s, position %d/%d", players[0].Name, done, len(problems)))
		})
}

// graded are the player and, where it is a network that searches, its bare policy.
func graded[S game.State[S]](builder arena.Builder[S], spec arena.Spec) ([]arena.Entrant[S], error) {
	specs := []arena.Spec{spec}
	if spec.Kind == arena.KindNet {
		if spec.Limit == arena.Unset {
			specs[0].Limit = builder.Search.Simulations
		}
		if specs[0].Limit != 0 || specs[0].Time != 0 {
			specs = append(specs, arena.Spec{Kind: arena.KindNet, Path: spec.Path, Limit: 0})
		}
	}
	var all []arena.Entrant[S]
	for _, spec := range specs {
		entrant, err := builder.Build(spec)
		if err != nil {
			return nil, err
		}
		all = append(all, entrant)
	}
	return all, nil
}

// problems reads or draws positions and solves them.
func (b bound[S]) problems(ctx context.Context, opt gradeOptions, live *statusLine) ([]grade.Problem[S], error) {
	exact, err := b.exact(opt.solver)
	if err != nil {
		return nil, err
	}
	if opt.positions != "" {
		live.Set("solving " + opt.positions)
		f, err := os.Open(opt.positions)
		if err != nil {
			return nil, err
		}
		defer f.Close()
		problems, err := grade.ReadProblems(ctx, f, b.game, exact)
		if err != nil {
			return nil, fmt.Errorf("%s, %w", opt.positions, err)
		}
		return problems, nil
	}
	sample := opt.sample
	sample.Workers = opt.workers
	if sample.FromPly < 0 {
		if sample.FromPly = b.quick; !b.gradable() {
			return nil, usageError{fmt.Errorf("%s is quick to solve from ply %d on only: say with --from-ply from how many stones on to draw positions",
				b.game.Name(), b.quick)}
		}
	}
	drawn, err := b.draw(ctx, sample)
	if err != nil {
		return nil, err
	}
	problems := make([]grade.Problem[S], len(drawn))
	for i, moves := range drawn {
		live.Set(fmt.Sprintf("solving position %d/%d", i+1, len(drawn)))
		if problems[i], err = grade.NewProblem(ctx, b.game, exact, moves); err != nil {
			return nil, err
		}
	}
	return problems, nil
}

// gradable reports whether the solver is quick in the greater part of a game.
func (b bound[S]) gradable() bool {
	height, width := b.game.Board()
	return 2*b.quick < height*width
}

// draw samples positions from random games and from games of a player of middling strength.
func (b bound[S]) draw(ctx context.Context, sample grade.SampleConfig) ([][]game.Action, error) {
	player, err := arena.Builder[S]{Game: b.game}.Build(arena.Spec{Kind: arena.KindUCT, Limit: 200})
	if err != nil {
		return nil, err
	}
	return grade.Sample(ctx, sample, b.game, player)
}

// drawMistakes grades the checkpoints of a run and draws how often they miss the best move.
func (b bound[S]) drawMistakes(ctx context.Context, cmd *cobra.Command, cfg Config, opt gradeOptions,
	problems []grade.Problem[S], live *statusLine) error {
	checkpoints, err := spread(opt.player.Path, opt.checkpoints)
	if err != nil {
		return err
	}
	picture := chart.Line{
		Title:    fmt.Sprintf("Mistakes along the run, %d positions of %s", len(problems), b.game.Name()),
		XLabel:   "self-play games",
		YLabel:   "moves that are not the best, %",
		FromZero: true,
	}
	for _, c := range checkpoints {
		spec := opt.player
		spec.Path = c.File
		players, err := graded(b.builder(cfg), spec)
		if err != nil {
			return err
		}
		report, err := b.compare(ctx, opt, problems, players, live)
		if err != nil {
			return err
		}
		addMistakes(&picture, c, report)
	}
	live.Clear()
	return savePictures(cmd, picture, filepath.Join(opt.player.Path, "mistakes"))
}

// addMistakes adds a checkpoint's point to each line: the search by stage of the game, and the bare network.
func addMistakes(picture *chart.Line, c train.Checkpoint, report grade.Report) {
	search := report.Players[0]
	lines := []struct {
		name  string
		marks grade.Totals
	}{
		{"search, beginning", search.Beginning}, {"search, middle", search.Middle}, {"search, end", search.End},
	}
	if len(report.Players) > 1 {
		lines = append(lines, struct {
			name  string
			marks grade.Totals
		}{"bare network, all", report.Players[1].All})
	}
	i := 0
	for _, l := range lines {
		if l.marks.Positions() == 0 {
			continue
		}
		if i == len(picture.Series) {
			picture.Series = append(picture.Series, chart.Series{Name: l.name})
		}
		s := &picture.Series[i]
		low, high := l.marks.Optimal.Interval()
		s.X = append(s.X, float64(c.Games))
		s.Y = append(s.Y, 100*(1-l.marks.Optimal.Value()))
		s.Low, s.High = append(s.Low, 100*(1-high)), append(s.High, 100*(1-low))
		i++
	}
}

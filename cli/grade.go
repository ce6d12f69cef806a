package cli

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"tengen/engine"
	"tengen/eval/grade"
	"tengen/players"
	"tengen/run"
	"tengen/train/checkpoint"
)

type gradeOptions struct {
	engine.ProblemConfig
	player      players.Spec
	players     engine.PlayerOptions
	checkpoints int // of a run directory, graded for its chart
}

func newGrade() *cobra.Command {
	var flags configFlags
	var gameName string
	opt := gradeOptions{ProblemConfig: engine.DefaultProblems()}
	cmd := &cobra.Command{
		Use:   "grade --player SPEC",
		Short: "Grade a player's moves against perfect play",
		RunE: func(cmd *cobra.Command, _ []string) error {
			if opt.checkpoints < 0 {
				return usageErrorf("--checkpoints is %d, but must be 0 or more", opt.checkpoints)
			}
			e, options, err := flags.players(gameName, opt.player)
			if err != nil {
				return err
			}
			defer options.Device.Close()
			opt.players = options
			return gradePlayer(cmd, e, opt, &flags)
		},
	}
	flags.register(cmd, "")
	specFlag(cmd, &opt.player, builtIn, "player", "the player's `SPEC`, see tengen help players")
	gameFlag(cmd, &gameName, "`name` of the game, if the player's model does not determine it")
	cmd.Flags().StringVar(&opt.Positions, "positions", opt.Positions,
		"`what` to grade on: random:N, every, dev, final, ffo, book:N or a file")
	cmd.Flags().IntVar(&opt.Sample.FromPly, "from-ply", opt.Sample.FromPly, "earliest `ply` of random positions; -1: from where the solver is quick")
	cmd.Flags().Uint64Var(&opt.Sample.Seed, "seed", opt.Sample.Seed, "seed of the positions and of the player's random choices")
	cmd.Flags().IntVar(&opt.checkpoints, "checkpoints", 10, "maximum number of checkpoints in a run's chart; 0: no chart")
	coresFlag(cmd, &opt.Sample.Workers, "workers", "number of goroutines")
	jsonFlag(cmd, "print a JSON object")
	solverFlags(cmd, &opt.Solver)
	return cmd
}

func gradePlayer(cmd *cobra.Command, e engine.Game, opt gradeOptions, flags *configFlags) error {
	ctx := cmd.Context()
	live := newStatusLine(cmd.ErrOrStderr())
	defer live.Clear()
	set, err := e.Problems(ctx, opt.ProblemConfig, live.Set)
	if p := opt.Positions; errors.As(err, new(engine.InputError)) && (p == "dev" || p == "final" || p == "ffo") {
		err = fmt.Errorf("--positions %s: %w: take random:300 or a file", p, err)
	}
	if err != nil {
		return err
	}
	if set.Missing > 0 {
		live.Clear()
		newNotices(cmd).warn(fmt.Errorf("only %d of %d positions were found", len(set.Problems), len(set.Problems)+set.Missing))
	}
	gradeOf := func(spec players.Spec) (grade.Report, error) {
		player, err := e.Player(spec, opt.players)
		if err != nil {
			return grade.Report{}, err
		}
		return e.Grade(ctx, grade.Config{Seed: opt.Sample.Seed, Workers: opt.Sample.Workers}, player, set, func(done int) {
			live.Set(fmt.Sprintf("%s, position %d/%d", spec, done, len(set.Problems)))
		})
	}
	report, err := gradeOf(opt.player)
	live.Clear()
	if report.Positions == 0 {
		return err
	}
	text := report.Text()
	if opt.Positions == "every" {
		text += "\n" + report.Counts()
	}
	if ctx.Err() != nil {
		err = fmt.Errorf("%w after %d of %d positions", errInterrupted, report.Positions, len(set.Problems))
	}
	err = errors.Join(printReport(cmd, flags.identified(report, opt.player, players.Spec{}), text), err)
	if err != nil || opt.Exam() || opt.checkpoints == 0 || opt.player.Kind != players.KindNet || !checkpoint.IsRun(opt.player.Path) {
		return err
	}
	models, err := checkpoint.SpreadModels(opt.player.Path, opt.checkpoints)
	if err != nil {
		return err
	}
	var reports []grade.Report
	for _, m := range models {
		r, spec := report, opt.player
		spec.Path = m.File
		if m.File != flags.models[opt.player.Path].File { // graded above
			if r, err = gradeOf(spec); err != nil {
				return err
			}
		}
		reports = append(reports, r)
	}
	live.Clear()
	return keepMeasured(cmd, opt.player.Path, checkpoint.GradesChart, run.Mistakes(models, reports))
}

package cli

import (
	"fmt"
	"os"

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
			if opt.Exam != "" {
				if err := grade.CheckHalf(opt.Exam); err != nil {
					return usageErrorf("--exam is %w", err)
				}
			}
			if opt.BookExam < 1 && cmd.Flags().Changed("book-exam") {
				return usageErrorf("--book-exam is %d, but must be 1 or more", opt.BookExam)
			}
			if opt.exam() && (opt.File != "" || opt.Every || opt.Exam != "" && opt.BookExam > 0) {
				return usageErrorf("--exam and --book-exam have their own positions: choose one of them, without --positions and --every")
			}
			if err := opt.Validate(); err != nil {
				return engine.InputError{Err: err}
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
	specFlag(cmd, &opt.player, "player", "the player's `SPEC`, see tengen help players")
	gameFlag(cmd, &gameName, "`name` of the game, if the player's model does not determine it")
	cmd.Flags().StringVar(&opt.File, "positions", "", "`file` of positions with their scores")
	cmd.Flags().StringVar(&opt.Exam, "exam", "", "`half` of the Connect Four or gomoku exam: dev for development, final for claims")
	cmd.Flags().IntVar(&opt.BookExam, "book-exam", 0, "`number` of hard Connect Four positions to take from the opening book")
	cmd.Flags().IntVar(&opt.Sample.Positions, "sample", opt.Sample.Positions, "number of positions to draw without a file")
	cmd.Flags().BoolVar(&opt.Every, "every", false, "grade on every position of the game instead of a sample")
	cmd.Flags().IntVar(&opt.Sample.FromPly, "from-ply", opt.Sample.FromPly, "earliest `ply` of the positions; -1: from where the solver is quick")
	cmd.Flags().Uint64Var(&opt.Sample.Seed, "seed", opt.Sample.Seed, "seed of the positions and of the player's random choices")
	cmd.Flags().IntVar(&opt.checkpoints, "checkpoints", 10, "maximum number of checkpoints in a run's chart; 0: no chart")
	coresFlag(cmd, &opt.Sample.Workers, "workers", "number of goroutines")
	jsonFlag(cmd, "print a JSON object")
	solverFlags(cmd, &opt.Solver)
	return cmd
}

// exam reports whether the positions are from an exam.
func (o *gradeOptions) exam() bool { return o.Exam != "" || o.BookExam > 0 }

func gradePlayer(cmd *cobra.Command, e engine.Game, opt gradeOptions, flags *configFlags) error {
	ctx := cmd.Context()
	live := newStatusLine(cmd.ErrOrStderr())
	defer live.Clear()
	set, err := e.Problems(ctx, opt.ProblemConfig, live.Set)
	if err != nil {
		return err
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
	if err != nil {
		return err
	}
	live.Clear()
	text := report.Text()
	if opt.Every {
		text += "\n" + report.Counts()
	}
	err = printReport(cmd, flags.identified(report, opt.player, players.Spec{}), text)
	info, missing := os.Stat(opt.player.Path)
	if err != nil || opt.exam() || opt.checkpoints == 0 || opt.player.Kind != players.KindNet || missing != nil || !info.IsDir() {
		return err
	}
	models, err := checkpoint.SpreadModels(opt.player.Path, opt.checkpoints)
	if err != nil {
		return err
	}
	var reports []grade.Report
	for _, m := range models {
		spec := opt.player
		spec.Path = m.File
		if report, err = gradeOf(spec); err != nil {
			return err
		}
		reports = append(reports, report)
	}
	live.Clear()
	return keepMeasured(cmd, opt.player.Path, checkpoint.GradesChart, run.Mistakes(models, reports))
}

package run

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime"

	"tengen/engine"
	"tengen/eval"
	"tengen/eval/grade"
	"tengen/eval/rating"
	"tengen/internal/random"
	"tengen/net"
	"tengen/players"
	"tengen/train"
	"tengen/train/checkpoint"
)

// arena implements train.Arena.
type arena struct {
	game     engine.Game
	cfg      Config
	search   json.RawMessage // the models' search constants
	against  engine.Player   // nil without evaluations
	warn     func(error)
	problems *grade.Set // for grades; nil before the first
}

// newArena also makes the opponent, so an error in eval.against appears before the first iteration.
func newArena(e engine.Game, cfg Config, warn func(error)) (*arena, error) {
	search, err := json.Marshal(cfg.Search)
	if err != nil {
		return nil, err
	}
	a := &arena{game: e, cfg: cfg, search: search, warn: warn}
	if cfg.Train.EvaluateEvery == 0 {
		return a, nil
	}
	spec, err := cfg.Eval.Opponent()
	if err != nil {
		return a, err
	}
	if a.against, err = e.Player(spec, engine.PlayerOptions{}); err != nil {
		return a, fmt.Errorf("eval.against: %w", err)
	}
	return a, nil
}

const ungraded = "models are not graded by perfect play"

// missing returns why configured grades and exams are skipped.
func (a *arena) missing() (why []error) {
	if a.cfg.Train.EvaluateEvery == 0 {
		return nil
	}
	info := a.game.Info()
	if a.cfg.Eval.GradePositions > 0 && !info.Gradable {
		quick, late := fmt.Sprintf("%s is quick to solve only from ply %d on", info.Name, info.QuickPly), "`tengen grade --from-ply` grades late positions"
		if info.Tried {
			quick, late = fmt.Sprintf("no ply says where %s is quick to solve", info.Name), "`tengen grade` looks for positions that are"
		}
		why = append(why, fmt.Errorf("%s: %s; eval.grade_positions=0 turns grades off, and %s", ungraded, quick, late))
	}
	if a.cfg.Eval.ExamPositions > 0 {
		if _, err := a.game.Problems(context.Background(), examConfig(), nil); err != nil {
			why = append(why, fmt.Errorf("models take no exam: %w; eval.exam_positions=0 turns exams off", err))
		}
	}
	return why
}

// Evaluate implements train.Arena.
func (a *arena) Evaluate(ctx context.Context, iteration int, w *net.Weights, report func(done, total int)) (v train.Evaluation, err error) {
	player, err := a.player(w)
	if err != nil {
		return v, err
	}
	solved, err := a.solved(ctx)
	if err != nil {
		return v, fmt.Errorf("grade: %w", err)
	}
	exam, err := a.exam(ctx)
	if err != nil {
		return v, fmt.Errorf("exam: %w", err)
	}
	c := engine.MatchConfig{MatchConfig: eval.Default()}
	c.Games = a.cfg.Eval.Games
	c.Seed = random.New(a.cfg.Seed, random.Evaluate, uint64(iteration)).Uint64()
	afterMatch := c.Games + len(solved.Problems)
	total := afterMatch + len(exam.Problems)
	result, err := a.game.Match(ctx, c, player, a.against, func(_ eval.MatchGame, r eval.Result) { report(r.Total().Games(), total) })
	if err != nil {
		return v, err
	}
	v.Matches = map[string]rating.Tally{a.against.String(): result.Total()}
	if v.Grade, err = a.grade(ctx, player, solved, func(done int) { report(c.Games+done, total) }); err != nil {
		return v, fmt.Errorf("grade: %w", err)
	}
	if v.Exam, err = a.examine(ctx, player, exam, func(done int) { report(afterMatch+done, total) }); err != nil {
		return v, fmt.Errorf("exam: %w", err)
	}
	return v, nil
}

// solved returns the positions of grades, none if the game is not Gradable or its games have none, which is a warning.
// The run's seed determines them.
func (a *arena) solved(ctx context.Context) (set grade.Set, err error) {
	n := a.cfg.Eval.GradePositions
	if n == 0 || !a.game.Info().Gradable {
		return set, nil
	}
	if a.problems == nil {
		c := engine.DefaultProblems()
		c.Positions, c.Sample.Seed = fmt.Sprintf("random:%d", n), a.cfg.Seed
		set, err = a.game.Problems(ctx, c, nil)
		if errors.As(err, new(engine.InputError)) {
			a.warn(fmt.Errorf("%s: %w", ungraded, err))
		} else if err != nil {
			return set, err
		}
		a.problems = &set
	}
	return *a.problems, nil
}

// grade compares the model with perfect play, if there are positions.
func (a *arena) grade(ctx context.Context, player engine.Player, solved grade.Set, done func(int)) (*checkpoint.Grade, error) {
	if len(solved.Problems) == 0 {
		return nil, nil
	}
	report, err := a.game.Grade(ctx, a.grading(), player, solved, done)
	if err != nil {
		return nil, err
	}
	search, policy := report.Players[0], report.Players[len(report.Players)-1]
	return &checkpoint.Grade{Positions: report.Positions, Search: search.Accuracy(), Policy: policy.Accuracy()}, nil
}

func examConfig() engine.ProblemConfig {
	c := engine.DefaultProblems()
	c.Positions = "dev"
	return c
}

// exam returns the positions of the exam, the same for each model, none if the game has no exam.
func (a *arena) exam(ctx context.Context) (set grade.Set, err error) {
	n := a.cfg.Eval.ExamPositions
	if n == 0 {
		return set, nil
	}
	set, err = a.game.Problems(ctx, examConfig(), nil)
	if errors.As(err, new(engine.InputError)) {
		return grade.Set{}, nil // reported by missing
	} else if err != nil {
		return set, err
	}
	return set.Spread(n), nil
}

// examine poses the positions of the exam, if there are any.
func (a *arena) examine(ctx context.Context, player engine.Player, exam grade.Set, done func(int)) (parts []checkpoint.ExamPart, err error) {
	if len(exam.Problems) == 0 {
		return nil, nil
	}
	report, err := a.game.Grade(ctx, a.grading(), player, exam, done)
	if err != nil {
		return nil, err
	}
	search, policy := report.Players[0], report.Players[len(report.Players)-1]
	for _, name := range report.Answered() {
		t := search.Parts[name]
		parts = append(parts, checkpoint.ExamPart{Part: name, Positions: t.Positions(),
			Search: t.Kept.Interval(), Policy: policy.Parts[name].Kept.Interval()})
	}
	return parts, nil
}

func (a *arena) grading() grade.Config {
	return grade.Config{Seed: a.cfg.Seed, Workers: runtime.GOMAXPROCS(0)}
}

// player makes a player with eval.simulations. All measurements share its evaluation cache.
func (a *arena) player(w *net.Weights) (engine.Player, error) {
	const name = "model"
	n, err := a.game.Network(&net.Model{Game: a.game.Info().Name, Search: a.search, Weights: w}, engine.PlayerOptions{})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	spec := players.Spec{Kind: players.KindNet, Path: name, Limit: a.cfg.Eval.Simulations}
	return a.game.Player(spec, engine.PlayerOptions{Network: n})
}

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

// judge implements train.Arena.
type judge struct {
	game     engine.Game
	cfg      Config
	search   json.RawMessage // the models' search constants
	against  engine.Player   // nil without evaluations
	problems grade.Set       // for grades; zero before the first
}

// newJudge also makes the opponent, so an error in eval.against appears before the first iteration.
func newJudge(e engine.Game, cfg Config) (*judge, error) {
	search, err := json.Marshal(cfg.Search)
	if err != nil {
		return nil, err
	}
	j := &judge{game: e, cfg: cfg, search: search}
	if cfg.Train.EvaluateEvery == 0 {
		return j, nil
	}
	spec, err := cfg.Eval.opponent()
	if err != nil {
		return j, err
	}
	if j.against, err = e.Player(spec, engine.PlayerOptions{}); err != nil {
		return j, fmt.Errorf("eval.against: %w", err)
	}
	return j, nil
}

// missing returns why configured grades and exams are skipped.
func (j *judge) missing() (why []error) {
	if j.cfg.Train.EvaluateEvery == 0 {
		return nil
	}
	info := j.game.Info()
	if j.cfg.Eval.GradePositions > 0 && !info.Gradable {
		why = append(why, fmt.Errorf("models are not graded by perfect play: %s is quick to solve only from ply %d on; "+
			"eval.grade_positions=0 turns grades off, and tengen grade --from-ply grades late positions", info.Name, info.QuickPly))
	}
	if j.cfg.Eval.ExamPositions > 0 {
		if _, err := j.game.Problems(context.Background(), exam(), nil); err != nil {
			why = append(why, fmt.Errorf("models take no exam: %w; eval.exam_positions=0 turns exams off", err))
		}
	}
	return why
}

// Evaluate implements train.Arena.
func (j *judge) Evaluate(ctx context.Context, iteration int, w *net.Weights) (v train.Evaluation, err error) {
	player, err := j.player("model", w)
	if err != nil {
		return v, err
	}
	tally, err := j.match(ctx, iteration, j.cfg.Eval.Games, player, j.against)
	if err != nil {
		return v, err
	}
	v.Matches = map[string]rating.Tally{j.against.Name(): tally}
	if v.Grade, err = j.grade(ctx, player); err != nil {
		return v, fmt.Errorf("grade: %w", err)
	}
	if v.Exam, err = j.examine(ctx, player); err != nil {
		return v, fmt.Errorf("exam: %w", err)
	}
	return v, nil
}

// grade compares the model with perfect play in a Gradable game. The run's seed determines the positions.
func (j *judge) grade(ctx context.Context, player engine.Player) (*checkpoint.Grade, error) {
	c := engine.DefaultProblems()
	c.Sample.Positions, c.Sample.Seed = j.cfg.Eval.GradePositions, j.cfg.Seed
	if c.Sample.Positions == 0 || !j.game.Info().Gradable {
		return nil, nil
	}
	if j.problems.Problems == nil {
		var err error
		if j.problems, err = j.game.Problems(ctx, c, nil); err != nil {
			return nil, err
		}
	}
	report, err := player.Grade(ctx, j.grading(), j.problems, nil)
	if err != nil {
		return nil, err
	}
	search, policy := report.Players[0], report.Players[len(report.Players)-1]
	return &checkpoint.Grade{Positions: report.Positions, Search: search.Accuracy(), Policy: policy.Accuracy()}, nil
}

func exam() engine.ProblemConfig {
	c := engine.DefaultProblems()
	c.Exam = "dev"
	return c
}

// examine poses the same positions of the exam to each model. It returns nil if the game has no exam.
func (j *judge) examine(ctx context.Context, player engine.Player) (parts []checkpoint.ExamPart, err error) {
	n := j.cfg.Eval.ExamPositions
	if n == 0 {
		return nil, nil
	}
	set, err := j.game.Problems(ctx, exam(), nil)
	if errors.As(err, new(engine.InputError)) {
		return nil, nil // reported by missing
	} else if err != nil {
		return nil, err
	}
	report, err := player.Grade(ctx, j.grading(), set.Spread(n), nil)
	if err != nil {
		return nil, err
	}
	search, policy := report.Players[0], report.Players[len(report.Players)-1]
	for _, name := range report.Answered() {
		t := search.Parts[name]
		parts = append(parts, checkpoint.ExamPart{Part: name, Positions: t.Positions(),
			Search: proportion(t.Kept), Policy: proportion(policy.Parts[name].Kept)})
	}
	return parts, nil
}

func proportion(s grade.Share) checkpoint.Proportion {
	low, high := s.Interval()
	return checkpoint.Proportion{Share: s.Value(), Low: low, High: high}
}

func (j *judge) grading() grade.Config {
	return grade.Config{Seed: j.cfg.Seed, Workers: runtime.GOMAXPROCS(0)}
}

// player makes a player with eval.simulations. All measurements share its evaluation cache.
func (j *judge) player(name string, w *net.Weights) (engine.Player, error) {
	n, err := j.game.Network(&net.Model{Game: j.game.Info().Name, Search: j.search, Weights: w}, engine.PlayerOptions{})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	spec := players.Spec{Kind: players.KindNet, Path: name, Limit: j.cfg.Eval.Simulations}
	return j.game.Player(spec, engine.PlayerOptions{Network: n})
}

// match plays games with a seed that follows from the run's seed and the iteration.
func (j *judge) match(ctx context.Context, iteration, games int, player, against engine.Player) (rating.Tally, error) {
	c := engine.MatchConfig{MatchConfig: eval.Default()}
	c.Games, c.OpeningPlies = games, j.cfg.Eval.OpeningPlies
	c.Seed = random.New(j.cfg.Seed, random.Judge, uint64(iteration)).Uint64()
	r, err := player.Match(ctx, c, against, nil)
	if err != nil {
		return rating.Tally{}, err
	}
	return r.Total(), nil
}

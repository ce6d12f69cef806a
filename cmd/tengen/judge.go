package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"runtime"

	"tengen/arena"
	"tengen/arena/grade"
	"tengen/game"
	"tengen/mcts"
	"tengen/net"
	"tengen/train"
)

// judge is train.Judge: it measures the models of a run by matches, and against perfect play.
type judge[S game.State[S]] struct {
	bound[S]
	cfg      Config
	dir      string             // of the run
	against  arena.Entrant[S]   // the fixed opponent, where there are evaluations
	problems []grade.Problem[S] // to grade models with, once they are needed
}

// newJudge looks at everything that matches need, so that a run with a mistake fails before its first iteration.
func (b bound[S]) newJudge(cfg Config, dir string) (*judge[S], error) {
	j := &judge[S]{bound: b, cfg: cfg, dir: dir}
	if cfg.Train.EvaluateEvery == 0 && cfg.Train.Gate.Games == 0 {
		return j, nil
	}
	if _, err := arena.Openings(b.game, cfg.Eval.OpeningPlies, 1, cfg.Seed); err != nil {
		return j, usageError{fmt.Errorf("eval.opening_plies is %d: %w", cfg.Eval.OpeningPlies, err)}
	}
	if cfg.Train.EvaluateEvery == 0 {
		return j, nil
	}
	spec, err := arena.ParseSpec(cfg.Eval.Against)
	if err != nil {
		return j, err
	}
	if j.against, err = b.builder(cfg).Build(spec); err != nil {
		return j, fmt.Errorf("eval.against: %w", err)
	}
	return j, nil
}

// Evaluate implements train.Judge: a match against the fixed opponent of the configuration, matches against earlier models
// for a rating, and a grade.
func (j *judge[S]) Evaluate(ctx context.Context, iteration, model int, w *net.Weights) (e train.Evaluation, err error) {
	score, err := j.match(ctx, iteration, j.cfg.Eval.Games, j.entrant("model", w), j.against)
	if err != nil {
		return e, err
	}
	e.Matches = map[string]train.Score{j.against.Name: score}
	if e.Rating, err = j.climb(ctx, iteration, model, w, e.Matches); err != nil {
		return e, fmt.Errorf("ladder: %w", err)
	}
	if e.Grade, err = j.grade(ctx, w); err != nil {
		return e, fmt.Errorf("grade: %w", err)
	}
	return e, nil
}

// climb plays the model against those evaluated one, two and four evaluations earlier, adds the results to matches, and
// rates the model by all matches of the run. Models whose files are gone are left out.
func (j *judge[S]) climb(ctx context.Context, iteration, model int, w *net.Weights, matches map[string]train.Score) (*train.Rating, error) {
	games := j.cfg.Eval.LadderGames
	if games == 0 {
		return nil, nil
	}
	past, err := train.ReadMetrics(j.dir)
	if err != nil {
		return nil, err
	}
	rungs := newRungs(j.against.Name)
	var earlier []int // models that were evaluated
	for _, m := range past {
		if m.Evaluation != nil && m.Iteration < iteration && m.Model < model {
			earlier = append(earlier, m.Model)
			rungs.add(train.ModelName(m.Model), m.Evaluation)
		}
	}
	for back := 1; back <= min(4, len(earlier)); back *= 2 {
		name := train.ModelName(earlier[len(earlier)-back])
		m, err := net.LoadModel(filepath.Join(j.dir, name))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		} else if err != nil {
			return nil, err
		}
		score, err := j.match(ctx, iteration, games, j.entrant("model", w), j.entrant(name, m.Weights))
		if err != nil {
			return nil, err
		}
		matches[name] = score
	}
	rungs.add(train.ModelName(model), matches)
	return rungs.rating(train.ModelName(model))
}

// Gate implements train.Judge.
func (j *judge[S]) Gate(ctx context.Context, iteration, games int, candidate, published *net.Weights) (train.Score, error) {
	return j.match(ctx, iteration, games, j.entrant("candidate", candidate), j.entrant("published", published))
}

// grade compares the model with perfect play, where a solver is quick. The positions are those of the run's seed.
func (j *judge[S]) grade(ctx context.Context, w *net.Weights) (*train.Grade, error) {
	opt := gradeOptions{
		sample:  grade.SampleConfig{Positions: j.cfg.Eval.GradePositions, FromPly: -1, RandomMoves: 0.1, Seed: j.cfg.Seed},
		workers: runtime.GOMAXPROCS(0),
		solver:  defaultSolverOptions(),
	}
	if opt.sample.Positions == 0 || !j.gradable() {
		return nil, nil
	}
	quiet := newStatusLine(io.Discard)
	if j.problems == nil {
		var err error
		if j.problems, err = j.bound.problems(ctx, opt, quiet); err != nil {
			return nil, err
		}
	}
	builder := j.builder(j.cfg)
	builder.Open = func(string) (func() (mcts.Evaluator[S], error), error) { return j.evaluators(w, evaluationBatch), nil }
	spec := arena.Spec{Kind: arena.KindNet, Path: "model", Limit: j.cfg.Eval.Simulations}
	players, err := graded(builder, spec)
	if err != nil {
		return nil, err
	}
	report, err := j.compare(ctx, opt, j.problems, players, quiet)
	if err != nil {
		return nil, err
	}
	search, policy := report.Players[0], report.Players[len(report.Players)-1]
	return &train.Grade{Positions: report.Positions, Search: train.Marks(search.Metrics()), Policy: train.Marks(policy.Metrics())}, nil
}

// entrant is a player with the given weights and the simulations of an evaluation.
func (j *judge[S]) entrant(name string, w *net.Weights) arena.Entrant[S] {
	return arena.Entrant[S]{Name: name, New: func() (arena.Player[S], error) {
		ev := net.NewEvaluator[S](w, evaluationBatch)
		return arena.NewNet[S](j.cfg.Search, j.game.Actions(), ev, mcts.Budget{Simulations: j.cfg.Eval.Simulations}, evaluationBatch), nil
	}}
}

// match plays games whose openings and random choices follow from the run's seed and the iteration.
func (j *judge[S]) match(ctx context.Context, iteration, games int, player, against arena.Entrant[S]) (train.Score, error) {
	m := arena.Default()
	m.Games = games
	m.OpeningPlies = j.cfg.Eval.OpeningPlies
	m.Seed = j.cfg.Seed + uint64(iteration)
	r, err := arena.Play(ctx, m, j.game, player, against, nil)
	if err != nil {
		return train.Score{}, err
	}
	t := r.Total()
	return train.Score{Score: t.Score(), Wins: t.Wins, Draws: t.Draws, Losses: t.Losses, Games: t.Games()}, nil
}

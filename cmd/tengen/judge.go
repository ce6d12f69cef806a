package main

import (
	"context"
	"fmt"

	"tengen/arena"
	"tengen/game"
	"tengen/net"
	"tengen/train"
)

// judge is train.Judge: it measures the models of a run by matches.
type judge[S game.State[S]] struct {
	bound[S]
	cfg     Config
	against arena.Entrant[S] // the fixed opponent, where there are evaluations
}

// newJudge looks at everything that matches need, so that a run with a mistake fails before its first iteration.
func (b bound[S]) newJudge(cfg Config) (judge[S], error) {
	j := judge[S]{bound: b, cfg: cfg}
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

// Evaluate implements train.Judge with the fixed opponent of the configuration.
func (j judge[S]) Evaluate(ctx context.Context, iteration int, w *net.Weights) (map[string]train.Score, error) {
	score, err := j.match(ctx, iteration, j.cfg.Eval.Games, j.entrant("model", w), j.against)
	if err != nil {
		return nil, err
	}
	return map[string]train.Score{j.against.Name: score}, nil
}

// Gate implements train.Judge.
func (j judge[S]) Gate(ctx context.Context, iteration, games int, candidate, published *net.Weights) (train.Score, error) {
	return j.match(ctx, iteration, games, j.entrant("candidate", candidate), j.entrant("published", published))
}

// entrant is a player with the given weights and the simulations of an evaluation.
func (j judge[S]) entrant(name string, w *net.Weights) arena.Entrant[S] {
	return arena.Entrant[S]{Name: name, New: func() (arena.Player[S], error) {
		ev := net.NewEvaluator[S](w, evaluationBatch)
		return arena.NewNet[S](j.cfg.Search, j.game.Actions(), ev, j.cfg.Eval.Simulations, evaluationBatch), nil
	}}
}

// match plays games whose openings and random choices follow from the run's seed and the iteration.
func (j judge[S]) match(ctx context.Context, iteration, games int, player, against arena.Entrant[S]) (train.Score, error) {
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

package main

import (
	"context"
	"runtime"

	"tengen/game"
	"tengen/mcts"
	"tengen/net"
	"tengen/replay"
	"tengen/selfplay"
	"tengen/train"
)

// generator is train.Player: a pool whose evaluators take up the weights of each new model.
type generator[S game.State[S]] struct {
	pool       *selfplay.Pool[S]
	evaluators []*net.Evaluator[S]
}

// newGenerator returns a generator whose evaluators hold w.
func (b bound[S]) newGenerator(cfg Config, w *net.Weights) *generator[S] {
	workers := cfg.Selfplay.Workers
	if workers == 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	g := &generator[S]{}
	var evaluators []mcts.Evaluator[S]
	for range workers {
		ev := net.NewEvaluator[S](w, cfg.Selfplay.Games)
		g.evaluators = append(g.evaluators, ev)
		evaluators = append(evaluators, ev)
	}
	g.pool = selfplay.NewPool(b.game, cfg.Selfplay, cfg.Search, cfg.Seed, evaluators)
	return g
}

// seats is the number of games that are played at the same time.
func (g *generator[S]) seats(cfg Config) int { return len(g.evaluators) * cfg.Selfplay.Games }

// Generate implements train.Player.
func (g *generator[S]) Generate(ctx context.Context, model uint64, w *net.Weights, numbers []uint64, finished func(*replay.Game) error) (train.Stats, error) {
	for _, ev := range g.evaluators {
		ev.Load(w)
	}
	stats, err := g.pool.Generate(ctx, model, numbers, finished)
	return train.Stats(stats), err
}

package engine

import (
	"context"
	"fmt"
	"runtime"

	"tengen/cluster"
	"tengen/game"
	"tengen/mcts"
	"tengen/net"
	"tengen/replay"
	"tengen/selfplay"
)

// generator is train.Player: a pool whose evaluators take up the weights of each new model.
type generator[S game.State[S]] struct {
	pool       *selfplay.Pool[S]
	evaluators []*net.Evaluator[S]
}

// newGenerator returns a generator whose evaluators hold w.
func (e typed[S]) newGenerator(cfg Config, w *net.Weights) *generator[S] {
	workers := cfg.Selfplay.Workers
	if workers == 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	g := &generator[S]{}
	var evaluators []mcts.Evaluator[S]
	for range workers {
		ev := net.NewEvaluator[S](w, cfg.Selfplay.GamesPerWorker)
		g.evaluators = append(g.evaluators, ev)
		evaluators = append(evaluators, ev)
	}
	g.pool = selfplay.NewPool(e.game, cfg.Selfplay, cfg.Search, cfg.Seed, evaluators)
	return g
}

// slots is the number of games that are played at the same time.
func (g *generator[S]) slots(cfg Config) int { return len(g.evaluators) * cfg.Selfplay.GamesPerWorker }

// Generate implements train.Player.
func (g *generator[S]) Generate(ctx context.Context, model uint64, w *net.Weights, numbers []uint64, finished func(*replay.Record) error) (replay.Stats, error) {
	return g.Play(ctx, model, w, selfplay.Numbers(numbers), finished)
}

// Play implements cluster.Player.
func (g *generator[S]) Play(
	ctx context.Context, model uint64, w *net.Weights, next func() (uint64, bool), finished func(*replay.Record) error,
) (replay.Stats, error) {
	for _, ev := range g.evaluators {
		ev.Load(w)
	}
	return g.pool.Play(ctx, model, next, finished)
}

// workerPlayer is the cluster.Player of a worker, which knows the network's architecture from its first model.
type workerPlayer[S game.State[S]] struct {
	engine typed[S]
	cfg    Config
	*generator[S]
}

// player returns a player for a run with these settings, in so many goroutines, 0 for one per core.
func (e typed[S]) player(s cluster.Settings, seed uint64, workers int) (cluster.Player, error) {
	if shape := net.ShapeOf(e.game); s.Shape != shape {
		return nil, fmt.Errorf("the run's networks are for %v, %s has %v here: use the program that trains", s.Shape, s.Game, shape)
	}
	cfg := Config{Seed: seed, Search: s.Search, Selfplay: s.Selfplay}
	cfg.Selfplay.Workers = workers
	for _, part := range []interface{ Validate() error }{cfg.Search, cfg.Selfplay} {
		if err := part.Validate(); err != nil {
			return nil, err
		}
	}
	return &workerPlayer[S]{engine: e, cfg: cfg}, nil
}

// Play implements cluster.Player.
func (p *workerPlayer[S]) Play(
	ctx context.Context, model uint64, w *net.Weights, next func() (uint64, bool), finished func(*replay.Record) error,
) (replay.Stats, error) {
	if p.generator == nil {
		p.generator = p.engine.newGenerator(p.cfg, w)
	}
	return p.generator.Play(ctx, model, w, next, finished)
}

package run

import (
	"context"
	"runtime"

	"tengen/game"
	"tengen/mcts"
	"tengen/net"
	"tengen/replay"
	"tengen/selfplay"
)

// typedGenerator implements generator. All weights must have one architecture. It is not safe for concurrent use.
type typedGenerator[S game.State[S]] struct {
	game       game.Game[S]
	cfg        Config            // only its seed, search and self-play are used
	pool       *selfplay.Pool[S] // nil before the first weights
	evaluators []*net.Evaluator[S]
}

// generator implements Game.
func (e typedGame[S]) generator(cfg Config) generator {
	if cfg.Selfplay.Workers == 0 {
		cfg.Selfplay.Workers = runtime.GOMAXPROCS(0)
	}
	return &typedGenerator[S]{game: e.Rules, cfg: cfg}
}

// ParallelGames implements cluster.GamePlayer.
func (g *typedGenerator[S]) ParallelGames() int {
	return g.cfg.Selfplay.Workers * g.cfg.Selfplay.GamesPerWorker
}

// Generate implements train.Generator.
func (g *typedGenerator[S]) Generate(ctx context.Context, model uint64, w *net.Weights, numbers []uint64, sink replay.Sink) (replay.Stats, error) {
	return g.Play(ctx, model, w, selfplay.Numbers(numbers), func(r *replay.Record) error { return sink.Keep(replay.LocalWorker, r) })
}

// Play implements cluster.GamePlayer.
func (g *typedGenerator[S]) Play(
	ctx context.Context, model uint64, w *net.Weights, next func() (uint64, bool), finished func(*replay.Record) error,
) (replay.Stats, error) {
	g.load(w)
	return g.pool.Play(ctx, model, next, finished)
}

func (g *typedGenerator[S]) load(w *net.Weights) {
	if g.pool == nil {
		var evaluators []mcts.Evaluator[S]
		for range g.cfg.Selfplay.Workers {
			ev := net.NewEvaluator[S](w, g.cfg.Selfplay.GamesPerWorker)
			g.evaluators = append(g.evaluators, ev)
			evaluators = append(evaluators, ev)
		}
		g.pool = selfplay.NewPool(g.game, g.cfg.Selfplay, g.cfg.Search, g.cfg.Seed, evaluators)
	}
	g.evaluators[0].Load(w)
	for _, ev := range g.evaluators[1:] {
		ev.LoadFrom(g.evaluators[0])
	}
}

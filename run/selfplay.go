package run

import (
	"context"
	"fmt"
	"runtime"

	"tengen/game"
	"tengen/mcts"
	"tengen/net"
	"tengen/replay"
	"tengen/selfplay"
	"tengen/selfplay/cluster"
	"tengen/train"
)

// generator plays games on this machine, as train.Player and as cluster.Player. The first weights say what the network is; later ones
// take their place in the same evaluators. It is not safe for concurrent use.
type generator[S game.State[S]] struct {
	game game.Game[S]
	set  string // of instructions, see net.NewEvaluatorOn
	cfg  Config // seed, search and self-play count

	pool       *selfplay.Pool[S] // nil before the first weights
	evaluators []*net.Evaluator[S]
}

// newGenerator returns a generator with a goroutine for each of selfplay.workers.
func (e bound[S]) newGenerator(set string, cfg Config) *generator[S] {
	if cfg.Selfplay.Workers == 0 {
		cfg.Selfplay.Workers = runtime.GOMAXPROCS(0)
	}
	return &generator[S]{game: e.Rules, set: set, cfg: cfg}
}

// ParallelGames implements cluster.Player.
func (g *generator[S]) ParallelGames() int {
	return g.cfg.Selfplay.Workers * g.cfg.Selfplay.GamesPerWorker
}

// Generate implements train.Player.
func (g *generator[S]) Generate(ctx context.Context, model uint64, w *net.Weights, numbers []uint64, sink replay.Sink) (replay.Stats, error) {
	return g.Play(ctx, model, w, selfplay.Numbers(numbers), func(r *replay.Record) error { return sink.Keep(train.LocalWorker, r) })
}

// Play implements cluster.Player.
func (g *generator[S]) Play(
	ctx context.Context, model uint64, w *net.Weights, next func() (uint64, bool), finished func(*replay.Record) error,
) (replay.Stats, error) {
	g.load(w)
	return g.pool.Play(ctx, model, next, finished)
}

func (g *generator[S]) load(w *net.Weights) {
	if g.pool != nil {
		for _, ev := range g.evaluators {
			ev.Load(w)
		}
		return
	}
	var evaluators []mcts.Evaluator[S]
	for range g.cfg.Selfplay.Workers {
		ev := net.NewEvaluatorOn[S](g.set, w, g.cfg.Selfplay.GamesPerWorker)
		g.evaluators = append(g.evaluators, ev)
		evaluators = append(evaluators, ev)
	}
	g.pool = selfplay.NewPool(g.game, g.cfg.Selfplay, g.cfg.Search, g.cfg.Seed, evaluators)
}

// player returns a player for a run with these settings, in so many goroutines, 0 for one per core. It rounds as the run's trainer does
// if this machine can.
func (e bound[S]) player(s cluster.Settings, workers int) (cluster.Player, error) {
	if shape := net.ShapeOf(e.Rules); s.Shape != shape {
		return nil, fmt.Errorf("the run's networks are for %v, %s has %v here: use the program that trains", s.Shape, s.Game, shape)
	}
	cfg := Config{Seed: s.Seed, Search: s.Search, Selfplay: s.Selfplay}
	cfg.Selfplay.Workers = workers
	for _, part := range []interface{ Validate() error }{cfg.Search, cfg.Selfplay} {
		if err := part.Validate(); err != nil {
			return nil, err
		}
	}
	set, ok := net.Repeats(s.Arithmetic)
	if !ok {
		set = "" // the trainer refuses such games unless cluster.mixed is true
	}
	return e.newGenerator(set, cfg), nil
}

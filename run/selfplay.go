package run

import (
	"cmp"
	"context"
	"runtime"

	"tengen/game"
	"tengen/mcts"
	"tengen/net"
	"tengen/replay"
	"tengen/selfplay"
)

const (
	deviceGames    = 256 // what selfplay.games_per_worker 0 means with a device
	deviceNetworks = 2   // on a device, shared by the evaluators: while one computes, the other collects positions
	deviceBatch    = 512 // positions that each of them computes at once, at least
)

// typedGenerator implements generator. All weights must have one architecture. It is not safe for concurrent use.
type typedGenerator[S game.State[S]] struct {
	game       game.Game[S]
	cfg        Config            // only its seed, search and self-play are used
	device     *net.Device       // nil: this processor, from the start or since Play has found that it is lost
	pool       *selfplay.Pool[S] // nil before the first weights
	servers    []*net.Server
	evaluators []*net.Evaluator[S] // of the servers in turn
}

// generator implements Game.
func (e typedGame[S]) generator(cfg Config) generator {
	return &typedGenerator[S]{game: e.Rules, cfg: cfg}
}

// equipped returns a generator that uses the device of compute.device, if that names one.
func (e typedGame[S]) equipped(cfg Config) (generator, error) {
	g := e.generator(cfg)
	device, err := cfg.Compute.Open(func(error) {})
	if device != nil {
		g.use(device)
	}
	return g, err
}

// use implements generator.
func (g *typedGenerator[S]) use(d *net.Device) { g.device = d }

// Playing implements train.Card.
func (g *typedGenerator[S]) Playing() bool { return g.device != nil && g.device.Lost() == nil }

// Verify implements train.Card. It may be called during Play.
func (g *typedGenerator[S]) Verify() bool {
	for _, s := range g.servers {
		s.Verify()
	}
	return g.device.Lost() == nil
}

// lockstep returns the number of goroutines and of the games that each plays at once.
func (g *typedGenerator[S]) lockstep() (workers, games int) {
	if g.device == nil {
		return cmp.Or(g.cfg.Selfplay.Workers, runtime.GOMAXPROCS(0)), g.cfg.Selfplay.Lockstep()
	}
	return cmp.Or(g.cfg.Selfplay.Workers, 2*runtime.GOMAXPROCS(0)), cmp.Or(g.cfg.Selfplay.GamesPerWorker, deviceGames)
}

// ParallelGames implements cluster.GamePlayer.
func (g *typedGenerator[S]) ParallelGames() int {
	workers, games := g.lockstep()
	return workers * games
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
	if g.device.Lost() != nil { // the pool's cache may hold false evaluations
		*g = typedGenerator[S]{game: g.game, cfg: g.cfg}
	}
	if g.pool == nil {
		cfg := g.cfg.Selfplay
		cfg.Workers, cfg.GamesPerWorker = g.lockstep()
		g.compile(w)
		var evaluators []mcts.Evaluator[S]
		for _, ev := range g.evaluators {
			evaluators = append(evaluators, ev)
		}
		g.pool = selfplay.NewPool(g.game, cfg, g.cfg.Search, g.cfg.Seed, evaluators)
	}
	for _, s := range g.servers {
		s.Load(w)
	}
}

// compile makes the servers and the evaluators.
func (g *typedGenerator[S]) compile(w *net.Weights) {
	workers, games := g.lockstep()
	servers := 1
	if g.device != nil {
		servers = deviceNetworks
	}
	for range servers {
		g.servers = append(g.servers, net.NewServer(g.device, w, max(deviceBatch, games)))
	}
	for i := range workers {
		g.evaluators = append(g.evaluators, net.NewEvaluatorOf[S](g.servers[i%servers], games))
	}
}

// Close implements generator.
func (g *typedGenerator[S]) Close() {
	for _, s := range g.servers {
		s.Close()
	}
}

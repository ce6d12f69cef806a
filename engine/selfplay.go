package engine

import (
	"context"
	"fmt"
	"runtime"
	"sync"

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
	return e.newGeneratorOn("", cfg, w)
}

// newGeneratorOn is newGenerator with a set of instructions, see net.NewEvaluatorOn.
func (e typed[S]) newGeneratorOn(set string, cfg Config, w *net.Weights) *generator[S] {
	workers := cfg.Selfplay.Workers
	if workers == 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	g := &generator[S]{}
	var evaluators []mcts.Evaluator[S]
	for range workers {
		ev := net.NewEvaluatorOn[S](set, w, cfg.Selfplay.GamesPerWorker)
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

// Play is Generate for the numbers that next deals out.
func (g *generator[S]) Play(
	ctx context.Context, model uint64, w *net.Weights, next func() (uint64, bool), finished func(*replay.Record) error,
) (replay.Stats, error) {
	g.load(w)
	return g.pool.Play(ctx, model, next, finished)
}

func (g *generator[S]) load(w *net.Weights) {
	for _, ev := range g.evaluators {
		ev.Load(w)
	}
}

// workerPlayer is the cluster.Player of a worker and the cluster.Replayer of a trainer, which knows the network's architecture from
// its first model.
type workerPlayer[S game.State[S]] struct {
	engine typed[S]
	set    string // of instructions
	cfg    Config
	making sync.Mutex // held while the generator is made
	*generator[S]
}

// player returns a player for a run with these settings, in so many goroutines, 0 for one per core.
func (e typed[S]) player(s cluster.Settings, seed uint64, workers int) (cluster.Player, error) {
	return e.playerOn("", s, seed, workers)
}

// replayGames is the number of games that each goroutine plays again in lockstep: few, because few are drawn, and all cores are to
// have some.
const replayGames = 8

// replayer returns what repeats games of workers of any seed, see player.
func (e typed[S]) replayer(set string, s cluster.Settings, workers int) (cluster.Replayer, error) {
	s.Selfplay.GamesPerWorker = min(s.Selfplay.GamesPerWorker, replayGames)
	s.Selfplay.CacheMegabytes = min(s.Selfplay.CacheMegabytes, 16)
	return e.playerOn(set, s, s.Seed, workers)
}

func (e typed[S]) playerOn(set string, s cluster.Settings, seed uint64, workers int) (*workerPlayer[S], error) {
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
	if workers == 0 {
		cfg.Selfplay.Workers = runtime.GOMAXPROCS(0)
	}
	return &workerPlayer[S]{engine: e, set: set, cfg: cfg}, nil
}

// Seats implements cluster.Player.
func (p *workerPlayer[S]) Seats() int { return p.cfg.Selfplay.Workers * p.cfg.Selfplay.GamesPerWorker }

// Play implements cluster.Player.
func (p *workerPlayer[S]) Play(
	ctx context.Context, model uint64, w *net.Weights, next func() (uint64, bool), finished func(*replay.Record) error,
) (replay.Stats, error) {
	return p.holding(w).Play(ctx, model, w, next, finished)
}

// Replay implements cluster.Replayer.
func (p *workerPlayer[S]) Replay(
	ctx context.Context, model uint64, w *net.Weights, games []selfplay.ID, finished func(*replay.Record) error,
) (replay.Stats, error) {
	g := p.holding(w)
	g.load(w)
	return g.pool.Replay(ctx, model, games, finished)
}

// holding returns the generator, made with the first weights.
func (p *workerPlayer[S]) holding(w *net.Weights) *generator[S] {
	p.making.Lock()
	defer p.making.Unlock()
	if p.generator == nil {
		p.generator = p.engine.newGeneratorOn(p.set, p.cfg, w)
	}
	return p.generator
}

// Parts implements cluster.Divisible: one for each goroutine.
func (p *workerPlayer[S]) Parts() (parts []cluster.Player) {
	for i := range p.cfg.Selfplay.Workers {
		parts = append(parts, workerPart[S]{p, i})
	}
	return parts
}

// workerPart is a goroutine of a workerPlayer.
type workerPart[S game.State[S]] struct {
	whole *workerPlayer[S]
	index int
}

// Seats implements cluster.Player.
func (p workerPart[S]) Seats() int { return p.whole.cfg.Selfplay.GamesPerWorker }

// Play implements cluster.Player.
func (p workerPart[S]) Play(
	ctx context.Context, model uint64, w *net.Weights, next func() (uint64, bool), finished func(*replay.Record) error,
) (replay.Stats, error) {
	g := p.whole.holding(w)
	g.evaluators[p.index].Load(w)
	return g.pool.Part(p.index).Play(ctx, model, next, finished)
}

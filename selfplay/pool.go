// Package selfplay turns an evaluator into finished games.
//
// Each worker of a Pool plays several games in lockstep on one evaluator: every game walks down its search tree to a
// leaf, one call evaluates all leaves, every game continues. New games replace finished ones at once, so batches stay
// full. When no new games begin, an idle worker takes over half of another's games. A game depends only on the seed,
// its number and the model, whatever the number of cores.
//
// Apart from the random openings, this is AlphaZero's self-play (Silver et al. 2017, "Mastering the game of Go without
// human knowledge", Methods, "Self-play").
package selfplay

import (
	"context"
	"time"

	"golang.org/x/sync/errgroup"

	"tengen/game"
	"tengen/mcts"
	"tengen/mcts/evalcache"
	"tengen/replay"
)

// Pool is a set of workers that reuse their memory. It is not safe for concurrent use.
type Pool[S game.State[S]] struct {
	workers []*worker[S]
	seed    uint64
}

// NewPool returns a pool with one worker for each evaluator; there must be at least one.
func NewPool[S game.State[S]](g game.Game[S], cfg Config, search mcts.Config, seed uint64, evaluators []mcts.Evaluator[S]) *Pool[S] {
	shared := evalcache.New(cfg.CacheMegabytes, g)
	p := &Pool[S]{seed: seed}
	for _, ev := range evaluators {
		p.workers = append(p.workers, newWorker(g, cfg, search, ev, shared))
	}
	return p
}

// job holds the parameters of one Play.
type job[S game.State[S]] struct {
	seed, model uint64
	next        func() (number uint64, ok bool)
	finished    func(*replay.Record) error
	games       *exchange[S]
}

// Play plays games with the numbers that next returns, and calls finished for each game as it ends. Both functions must
// be safe for concurrent use. When next returns false, the game's place stays empty, and Play calls next again while
// the worker has other games. Play ends when no worker has games. model numbers the evaluators' model and must change
// with it. On an error of finished or an evaluator, or when ctx ends, Play drops the unfinished games and returns the
// error with the work so far.
func (p *Pool[S]) Play(
	ctx context.Context, model uint64, next func() (number uint64, ok bool), finished func(*replay.Record) error,
) (replay.Stats, error) {
	start := time.Now()
	group, ctx := errgroup.WithContext(ctx)
	j := &job[S]{p.seed, model, next, finished, newExchange[S](len(p.workers))}
	for _, w := range p.workers {
		group.Go(func() error { return w.play(ctx, j) })
	}
	err := group.Wait()
	stats := replay.Stats{Duration: time.Since(start)}
	for _, w := range p.workers {
		stats.Add(w.stats)
	}
	return stats, err
}

// worker plays games in lockstep on one evaluator.
type worker[S game.State[S]] struct {
	evaluator mcts.Evaluator[S]
	cache     *evalcache.Reader[S]
	games     []*liveGame[S]
	stats     replay.Stats
	taken     chan struct{} // see exchange.take

	// one batch
	leaves []S
	owners []*liveGame[S]
	priors [][]float32 // [games][actions]
	values []float32   // [games]
}

func newWorker[S game.State[S]](g game.Game[S], cfg Config, search mcts.Config, ev mcts.Evaluator[S], c *evalcache.Cache[S]) *worker[S] {
	games := cfg.Lockstep()
	w := &worker[S]{evaluator: ev, cache: c.Reader(), taken: make(chan struct{}), values: make([]float32, games)}
	for range games {
		w.games = append(w.games, newLiveGame(g, cfg, search))
		w.priors = append(w.priors, make([]float32, g.Actions()))
	}
	return w
}

// play plays games until next and the other workers have none left. It drops an earlier call's unfinished games.
func (w *worker[S]) play(ctx context.Context, j *job[S]) error {
	w.stats = replay.Stats{}
	var waited time.Duration // for other workers' games
	start := time.Now()
	defer func() { w.stats.Search = time.Since(start) - w.stats.Network - waited }()
	for _, g := range w.games {
		g.record = nil
	}
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		w.leaves, w.owners = w.leaves[:0], w.owners[:0]
		for _, g := range w.games {
			leaf, ok, err := w.advance(ctx, g, j)
			if err != nil {
				return err
			}
			if ok {
				w.leaves = append(w.leaves, leaf)
				w.owners = append(w.owners, g)
			}
		}
		n := len(w.leaves)
		if n == 0 {
			asked := time.Now()
			more := j.games.take(ctx, w)
			waited += time.Since(asked)
			if !more {
				return ctx.Err()
			}
			continue
		}
		asked := time.Now() // every game now waits for the network: the batch is as full as it gets
		if err := w.evaluator.Evaluate(w.leaves, w.priors[:n], w.values[:n]); err != nil {
			return err
		}
		w.stats.Network += time.Since(asked)
		w.stats.Evaluations += int64(n)
		for i, g := range w.owners {
			w.cache.Put(j.model, w.leaves[i], w.priors[i], w.values[i])
			g.answer(w.priors[i], w.values[i])
		}
		j.games.give(w, n)
	}
}

// advance plays as far as possible without the network. When a game ends, the next one takes its place. advance returns
// the position to evaluate, or false when no game is left. It checks ctx at each move.
func (w *worker[S]) advance(ctx context.Context, g *liveGame[S], j *job[S]) (S, bool, error) {
	for {
		if g.record == nil {
			number, ok := j.next()
			if !ok {
				return g.position, false, nil
			}
			g.begin(j.seed, number, j.model)
		}
		if g.done() {
			if err := ctx.Err(); err != nil {
				return g.position, false, err
			}
			w.stats.Simulations += int64(g.search.Simulations())
			if g.move() {
				if err := j.finished(g.record); err != nil {
					return g.position, false, err
				}
				w.stats.Games++
				g.record = nil
			}
			continue
		}
		leaf, asks := g.ask()
		if !asks {
			continue
		}
		w.stats.CacheLookups++
		value, ok := w.cache.Get(j.model, leaf, g.prior)
		if !ok {
			return leaf, true, nil
		}
		w.stats.CacheHits++
		g.answer(g.prior, value)
	}
}

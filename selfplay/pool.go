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

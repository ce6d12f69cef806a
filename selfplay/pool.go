// Package selfplay turns an evaluator into finished games.
//
// A Pool has a few workers, each a goroutine with one evaluator and a number of games that it plays in lockstep: every
// game walks down its search tree to a leaf, one call evaluates the leaves, every game continues. There is no queue and
// nothing to wait for; a finished game is replaced at once, so the batch stays full until the games asked for run out.
//
// A game depends on the seed, its number and the model alone: not on the workers, the batch it was evaluated in, or the
// cache's contents. So the same run gives the same games on any number of cores.
//
// Apart from the random openings, this is AlphaZero's self-play (Silver et al. 2017, "Mastering the game of Go without
// human knowledge", Methods, "Self-play"). Only mcts knows which search is used.
package selfplay

import (
	"context"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"tengen/game"
	"tengen/mcts"
	"tengen/mcts/evalcache"
	"tengen/replay"
)

// Pool is a set of workers that keep their memory from one Play to the next. It is not safe for concurrent use.
type Pool[S game.State[S]] struct {
	workers []*worker[S]
	seed    uint64
}

// ID names a game: all that is random in it follows from these two.
type ID struct{ Seed, Number uint64 }

// NewPool returns a pool with one worker per evaluator, of which there is at least one. seed is the run's.
func NewPool[S game.State[S]](g game.Game[S], cfg Config, search mcts.Config, seed uint64, evaluators []mcts.Evaluator[S]) *Pool[S] {
	shared := evalcache.New[S](cfg.CacheMegabytes, g.Actions(), seesLastMove(evaluators[0]))
	p := &Pool[S]{seed: seed}
	for _, ev := range evaluators {
		p.workers = append(p.workers, newWorker(g, cfg, search, ev, shared))
	}
	return p
}

// seesLastMove reports whether what an evaluator says may depend on the last move: it may, unless the evaluator knows
// better.
func seesLastMove[S any](ev mcts.Evaluator[S]) bool {
	e, ok := ev.(interface{ SeesLastMove() bool })
	return !ok || e.SeesLastMove()
}

// Part is the pool of the i-th worker alone. Parts may play at the same time, with a model each: they share the cache
// and nothing else.
func (p *Pool[S]) Part(i int) *Pool[S] { return &Pool[S]{workers: p.workers[i : i+1], seed: p.seed} }

// Play plays games with the numbers that next returns, and calls finished for each game as it ends. When next returns
// false, the game's place stays empty, and Play calls next again while the worker has other games; a worker without
// games is done. Several goroutines call both functions at once; an error of finished ends the work. model is the
// number of the evaluators' model: it must change whenever they do. On an error or when ctx is cancelled the games
// under way are lost and the error is returned.
func (p *Pool[S]) Play(
	ctx context.Context, model uint64, next func() (number uint64, ok bool), finished func(*replay.Record) error,
) (replay.Stats, error) {
	return p.play(ctx, &job{model: model, finished: finished, next: func() (ID, bool) {
		number, ok := next()
		return ID{p.seed, number}, ok
	}})
}

// Replay is Play for the games of a list, which may be of other seeds than the pool's.
func (p *Pool[S]) Replay(ctx context.Context, model uint64, games []ID, finished func(*replay.Record) error) (replay.Stats, error) {
	return p.play(ctx, &job{model: model, finished: finished, next: each(games)})
}

func (p *Pool[S]) play(ctx context.Context, job *job) (replay.Stats, error) {
	start := time.Now()
	group, ctx := errgroup.WithContext(ctx)
	for _, w := range p.workers {
		group.Go(func() error { return w.play(ctx, job) })
	}
	if err := group.Wait(); err != nil {
		return replay.Stats{}, err
	}
	stats := replay.Stats{Duration: time.Since(start)}
	for _, w := range p.workers {
		stats.Add(w.stats)
	}
	return stats, nil
}

// Numbers returns a next for Play: it returns the elements of list, one a call, and false when none is left. It is safe
// for concurrent use.
func Numbers(list []uint64) func() (number uint64, ok bool) { return each(list) }

func each[T any](list []T) func() (element T, ok bool) {
	var taken atomic.Int64
	return func() (element T, ok bool) {
		i := taken.Add(1) - 1
		if i >= int64(len(list)) {
			return element, false
		}
		return list[i], true
	}
}

// job is what the workers share during one Play.
type job struct {
	model    uint64
	next     func() (ID, bool)
	finished func(*replay.Record) error
}

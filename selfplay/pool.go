// Package selfplay turns an evaluator into finished games.
//
// A Pool has a few workers, each a goroutine with one evaluator and a number of games in lockstep: every game walks
// down its search tree to a leaf, one call evaluates the leaves, every game continues. A new game replaces a finished
// one at once, so the batch stays full until the games run out.
//
// A game depends only on the seed, its number and the model, so a run gives the same games on any number of cores.
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

// Pool is a set of workers that keep their memory between calls of Play. It is not safe for concurrent use.
type Pool[S game.State[S]] struct {
	workers []*worker[S]
	seed    uint64
}

// ID identifies a game and determines all of its random choices.
type ID struct{ Seed, Number uint64 }

// NewPool returns a pool with one worker per evaluator, of which there must be at least one. seed is the run's.
func NewPool[S game.State[S]](g game.Game[S], cfg Config, search mcts.Config, seed uint64, evaluators []mcts.Evaluator[S]) *Pool[S] {
	shared := evalcache.New[S](cfg.CacheMegabytes, g.Actions(), seesLastMove(evaluators[0]))
	p := &Pool[S]{seed: seed}
	for _, ev := range evaluators {
		p.workers = append(p.workers, newWorker(g, cfg, search, ev, shared))
	}
	return p
}

// seesLastMove reports whether evaluations may depend on the last move: true unless the evaluator's SeesLastMove says
// otherwise.
func seesLastMove[S any](ev mcts.Evaluator[S]) bool {
	e, ok := ev.(interface{ SeesLastMove() bool })
	return !ok || e.SeesLastMove()
}

// Part returns a pool of the i-th worker alone. Parts may play concurrently, each with a different model: they share
// only the cache.
func (p *Pool[S]) Part(i int) *Pool[S] { return &Pool[S]{workers: p.workers[i : i+1], seed: p.seed} }

// Play plays games with the numbers that next returns, and calls finished for each game as it ends. When next returns
// false, the game's place stays empty, and Play calls next again while the worker has other games; a worker without
// games is done. Both functions must be safe for concurrent use. model is the number of the evaluators' model and must
// change whenever the model does. On an error of finished or an evaluator, or when ctx ends, Play drops the unfinished
// games and returns the error.
func (p *Pool[S]) Play(
	ctx context.Context, model uint64, next func() (number uint64, ok bool), finished func(*replay.Record) error,
) (replay.Stats, error) {
	return p.play(ctx, &job{model: model, finished: finished, next: func() (ID, bool) {
		number, ok := next()
		return ID{p.seed, number}, ok
	}})
}

// Replay is Play for a list of games, whose seeds may differ from the pool's.
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

// Numbers returns a next function for Play that returns the elements of list in order. It is safe for concurrent use.
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

// job is the state that workers share during one Play.
type job struct {
	model    uint64
	next     func() (ID, bool)
	finished func(*replay.Record) error
}

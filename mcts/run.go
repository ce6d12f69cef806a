package mcts

import (
	"context"
	"fmt"
	"time"

	"tengen/game"
)

// Budget is what one call of Run may spend. 0 sets no limit of its kind.
type Budget struct {
	Simulations int           // or playouts, in package uct
	Time        time.Duration // by the clock
}

// Run searches one tree until it is Done, the budget is used up or ctx is cancelled. Up to batch leaves (1 to 255) are in
// flight at once, kept apart by virtual loss; 1 is the sequential algorithm. However short its time, Run evaluates one batch,
// so that there is a move to play. It can be called again to search on: with batch 1, a search in slices is the same search.
//
// Run returns the error of ctx, which leaves the tree whole, or of the evaluator, after which leaves stay in flight and
// only Reset may follow. It panics on a search with leaves in flight.
func Run[S game.State[S]](ctx context.Context, s *Search[S], ev Evaluator[S], budget Budget, batch int) error {
	start := time.Now()
	b := newBatch(batch, s)
	goal := s.budget
	if budget.Simulations > 0 {
		goal = min(goal, s.simulations+budget.Simulations)
	}
	for s.simulations < goal && !s.Done() {
		if err := ctx.Err(); err != nil {
			return err
		}
		for left := min(batch, goal-s.simulations); left > 0 && !s.Done(); left-- {
			if b.add(s) == Collision {
				break
			}
		}
		if err := b.flush(ev); err != nil {
			return err
		}
		if budget.Time > 0 && time.Since(start) >= budget.Time {
			return nil
		}
	}
	return nil
}

// Lockstep runs every search until it is Done, with one leaf of each in flight, so that each search is exactly what Run would
// have made of it with batch 1. Batch, at least 1, is the largest number of leaves in one evaluation. Errors and panics are
// those of Run.
func Lockstep[S game.State[S]](ctx context.Context, searches []*Search[S], ev Evaluator[S], batch int) error {
	if len(searches) == 0 {
		return nil
	}
	b := newBatch(batch, searches...)
	for busy := true; busy; {
		if err := ctx.Err(); err != nil {
			return err
		}
		busy = false
		for _, s := range searches {
			for !s.Done() {
				busy = true
				if b.add(s) != Known {
					break
				}
			}
			if b.full() {
				if err := b.flush(ev); err != nil {
					return err
				}
			}
		}
		if err := b.flush(ev); err != nil {
			return err
		}
	}
	return nil
}

// batch gathers leaves for one call of an evaluator and remembers which searches they belong to.
type batch[S game.State[S]] struct {
	owners []*Search[S]
	leaves []S
	priors [][]float32 // [size][actions]
	values []float32   // [size]
}

// newBatch returns room for size leaves of searches, none of which may have any in flight.
func newBatch[S game.State[S]](size int, searches ...*Search[S]) *batch[S] {
	if size < 1 {
		panic(fmt.Sprintf("mcts: batch of %d leaves, want at least 1", size))
	}
	for _, s := range searches {
		if len(s.waiting) > 0 {
			panic("mcts: search with leaves in flight: Expand them or Reset")
		}
	}
	actions := searches[0].actions
	b := &batch[S]{priors: make([][]float32, size), values: make([]float32, size)}
	storage := make([]float32, size*actions)
	for i := range b.priors {
		b.priors[i] = storage[i*actions : (i+1)*actions : (i+1)*actions]
	}
	return b
}

// add runs Select on s and keeps the leaf, if there is one.
func (b *batch[S]) add(s *Search[S]) Status {
	leaf, status := s.Select()
	if status == Leaf {
		b.owners = append(b.owners, s)
		b.leaves = append(b.leaves, leaf)
	}
	return status
}

func (b *batch[S]) full() bool { return len(b.leaves) == len(b.values) }

// flush evaluates the leaves and expands them in the order in which they were selected.
func (b *batch[S]) flush(ev Evaluator[S]) error {
	n := len(b.leaves)
	if n == 0 {
		return nil
	}
	if err := ev.Evaluate(b.leaves, b.priors[:n], b.values[:n]); err != nil {
		return err
	}
	for i, s := range b.owners {
		s.Expand(b.priors[i], b.values[i])
	}
	b.owners, b.leaves = b.owners[:0], b.leaves[:0]
	return nil
}

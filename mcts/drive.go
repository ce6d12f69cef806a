package mcts

import (
	"context"
	"fmt"
	"runtime/debug"
	"slices"

	"tengen/game"
	"tengen/internal/eventloop"
)

// DriveOptions configures Drive.
type DriveOptions struct {
	// Batch is the maximum number of leaves in one evaluation, at least 1.
	Batch int
	// InFlight returns the maximum number of leaves in flight for a tree of size simulations. nil: 1, the sequential
	// algorithm.
	InFlight func(size int) int
	// Progress, if not nil, is called after each batch and whenever many simulations needed no evaluation.
	Progress func()
}

// Drive runs every search until it is Done or ctx ends. Even then each search has at least one simulation, hence a move
// to play, and no leaves in flight.
//
// Each evaluator scores one batch at a time, concurrently with the others. Drive expands batches in the order in which
// it selected them, and selects the next after expanding the oldest. So the result does not depend on evaluation times.
// With one leaf in flight per tree, it does not depend on other trees either. If the first evaluator is a
// RootEvaluator, it scores the roots that are not expanded.
//
// Drive returns an evaluator's error and repeats its panic. Only Reset may follow. Drive panics without evaluators, on
// a batch below 1 and on a search with leaves in flight.
func Drive[S game.State[S]](ctx context.Context, searches []*Search[S], evaluators []Evaluator[S], o DriveOptions) error {
	if len(searches) == 0 {
		return nil
	}
	d := newDriver(searches, evaluators, o)
	if err := d.expandRoots(); err != nil {
		return err
	}
	for {
		eventloop.Yield()
		stopped, progressed := ctx.Err() != nil, false
		for d.running < len(d.batches) {
			b := &d.batches[(d.first+d.running)%len(d.batches)]
			progressed = d.fill(b, stopped) || progressed
			if len(b.leaves) == 0 {
				break
			}
			d.start(b)
		}
		if d.running > 0 {
			if err := d.finish(); err != nil {
				return err
			}
		} else if !progressed {
			return nil
		}
		if o.Progress != nil {
			o.Progress()
		}
	}
}

type driver[S game.State[S]] struct {
	searches []*Search[S]
	next     int // search to select from
	inFlight func(size int) int

	// A ring: batches[first], the oldest, and the running-1 after it are in flight.
	batches []batch[S]
	first   int
	running int
}

// batch is one evaluation.
type batch[S game.State[S]] struct {
	evaluator Evaluator[S]
	owners    []*Search[S] // of the leaves
	leaves    []S
	priors    [][]float32 // [size][actions]
	values    []float32   // [size]
	err       error
	panicked  any           // panic and stack
	done      chan struct{} // receives after an evaluation in its own goroutine
}

// maxKnown limits a tree's simulations without evaluation between two checks of ctx.
const maxKnown = 256

func newDriver[S game.State[S]](searches []*Search[S], evaluators []Evaluator[S], o DriveOptions) *driver[S] {
	for _, s := range searches {
		if s.inFlight() > 0 {
			panic("mcts: search with leaves in flight: Expand them or Reset")
		}
	}
	d := &driver[S]{searches: searches, inFlight: o.InFlight}
	if d.inFlight == nil {
		d.inFlight = func(int) int { return 1 }
	}
	// One tree with maxPending leaves in flight must fill all batches.
	d.batches = make([]batch[S], min(len(evaluators), max(1, maxPending/o.Batch)))
	actions := searches[0].actions
	for i := range d.batches {
		b := &d.batches[i]
		b.evaluator, b.done = evaluators[i], make(chan struct{}, 1)
		b.values = make([]float32, o.Batch)
		b.priors = slices.Collect(slices.Chunk(make([]float32, o.Batch*actions), actions))
	}
	return d
}

func (d *driver[S]) expandRoots() error {
	b := &d.batches[0]
	evaluator, ok := b.evaluator.(RootEvaluator[S])
	if !ok {
		return nil
	}
	for i, s := range d.searches {
		if s.Visits() == 0 && s.needsSimulation() {
			b.add(s)
		}
		if n := len(b.leaves); n > 0 && (b.full() || i == len(d.searches)-1) {
			if err := evaluator.EvaluateRoots(b.leaves, b.priors[:n], b.values[:n]); err != nil {
				return err
			}
			b.expand()
		}
	}
	return nil
}

// fill selects a batch from each search in turn. progressed reports whether a simulation needed no evaluation.
func (d *driver[S]) fill(b *batch[S], stopped bool) (progressed bool) {
	for range d.searches {
		progressed = d.take(b, d.searches[d.next], stopped) || progressed
		d.next = (d.next + 1) % len(d.searches)
		if b.full() {
			break
		}
	}
	return progressed
}

// take is fill for one search. It selects at most one evaluator's share of the leaves in flight, so all evaluators work
// before batches become large. It stops at a collision.
func (d *driver[S]) take(b *batch[S], s *Search[S], stopped bool) (progressed bool) {
	size, knownCount := s.Visits(), 0
	limit := min(d.inFlight(size), maxPending)
	n := len(d.batches)
	share := (limit + n - 1) / n
	for share > 0 && knownCount < maxKnown {
		if s.inFlight() >= limit || b.full() || !s.needsSimulation() {
			break
		}
		if stopped && size+knownCount+s.inFlight() > 0 {
			break
		}
		switch b.add(s) {
		case Collision:
			share = 0
		case Known:
			knownCount++
		case Leaf:
			share--
		}
	}
	return knownCount > 0
}

func (d *driver[S]) start(b *batch[S]) {
	d.running++
	if len(d.batches) == 1 {
		b.err = b.evaluate()
		return
	}
	go func() {
		defer func() {
			if p := recover(); p != nil {
				b.panicked = fmt.Sprintf("%v\n%s", p, debug.Stack())
			}
			b.done <- struct{}{}
		}()
		b.err = b.evaluate()
	}()
}

// finish waits for the oldest batch and expands it. On a failure it waits for all batches.
func (d *driver[S]) finish() error {
	b := d.wait()
	if b.err == nil && b.panicked == nil {
		b.expand()
		return nil
	}
	for d.running > 0 {
		d.wait()
	}
	if b.panicked != nil {
		panic(b.panicked)
	}
	return b.err
}

func (d *driver[S]) wait() *batch[S] {
	b := &d.batches[d.first]
	if len(d.batches) > 1 {
		<-b.done
	}
	d.first, d.running = (d.first+1)%len(d.batches), d.running-1
	return b
}

func (b *batch[S]) add(s *Search[S]) Status {
	leaf, status := s.Select()
	if status == Leaf {
		b.owners = append(b.owners, s)
		b.leaves = append(b.leaves, leaf)
	}
	return status
}

func (b *batch[S]) full() bool { return len(b.leaves) == len(b.values) }

func (b *batch[S]) evaluate() error {
	n := len(b.leaves)
	return b.evaluator.Evaluate(b.leaves, b.priors[:n], b.values[:n])
}

func (b *batch[S]) expand() {
	for i, s := range b.owners {
		s.Expand(b.priors[i], b.values[i])
	}
	b.owners, b.leaves = b.owners[:0], b.leaves[:0]
}

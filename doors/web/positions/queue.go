package positions

import (
	"context"
	"slices"
	"sync"
)

// queue limits how many searches run at once. The rest wait in order of arrival, but visitors take turns: with each
// search that starts, its visitor's others go to the end. A visitor has all places but one at most, so that others need
// not wait.
type queue struct {
	places int

	mu      sync.Mutex
	running map[string]int // by visitor, without zeros
	count   int            // of running searches
	waiting []*string      // their visitors
	moved   chan struct{}  // closed, and replaced, when the places of the waiting may change
}

func newQueue(places int) *queue {
	return &queue{places: places, running: map[string]int{}, moved: make(chan struct{})}
}

// enter waits for the turn of a visitor's search, and calls report with each new place in the queue, counted from 1. If
// ctx ends first, it returns ctx.Err; otherwise the caller must call leave.
func (q *queue) enter(ctx context.Context, visitor string, report func(place int)) (leave func(), err error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	me := &visitor
	q.waiting = append(q.waiting, me)
	for last := 0; ; {
		place := q.place(me)
		if place == 0 || ctx.Err() != nil {
			break
		}
		moved := q.moved
		q.mu.Unlock()
		if place != last {
			report(place)
			last = place
		}
		select {
		case <-moved:
		case <-ctx.Done():
		}
		q.mu.Lock()
	}
	q.waiting = slices.DeleteFunc(q.waiting, func(other *string) bool { return other == me })
	defer q.wake()
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	var mine []*string
	q.waiting = slices.DeleteFunc(q.waiting, func(other *string) bool {
		if *other == visitor {
			mine = append(mine, other)
		}
		return *other == visitor
	})
	q.waiting = append(q.waiting, mine...)
	q.running[visitor]++
	q.count++
	return func() {
		q.mu.Lock()
		defer q.mu.Unlock()
		q.count--
		if q.running[visitor]--; q.running[visitor] == 0 {
			delete(q.running, visitor)
		}
		q.wake()
	}, nil
}

// busy returns how many searches run.
func (q *queue) busy() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.count
}

// place returns how many searches come before a waiting one and that itself, or 0 if it may start.
func (q *queue) place(me *string) int {
	next := slices.IndexFunc(q.waiting, func(visitor *string) bool { return q.running[*visitor] < max(1, q.places-1) })
	if next >= 0 && q.waiting[next] == me && q.count < q.places {
		return 0
	}
	return 1 + slices.Index(q.waiting, me)
}

// wake lets all who wait look at their place. The caller must hold mu.
func (q *queue) wake() {
	close(q.moved)
	q.moved = make(chan struct{})
}

package web

import (
	"context"
	"slices"
	"sync"
)

// queue lets a number of searches work at once, and the others in the order in which they came.
type queue struct {
	mu      sync.Mutex
	free    int
	waiting []*turn
}

// turn is a search that waits.
type turn struct {
	ready chan struct{} // closed when it may begin
	moved chan struct{} // says that its place has changed
}

func newQueue(places int) *queue { return &queue{free: places} }

// enter waits for a turn, and tells, unless it comes at once, the place among those that wait: 1 is the next, and again whenever
// that changes. It returns the error of ctx if that ends first; else leave must be called.
func (q *queue) enter(ctx context.Context, told func(place int)) (leave func(), err error) {
	t := q.join()
	for last := 0; ; {
		if place := q.place(t); place > 0 && place != last {
			told(place)
			last = place
		}
		select {
		case <-t.ready:
			return q.leave, nil
		case <-t.moved:
		case <-ctx.Done():
			q.giveUp(t)
			return nil, ctx.Err()
		}
	}
}

// join takes a place, in the queue or at work.
func (q *queue) join() *turn {
	q.mu.Lock()
	defer q.mu.Unlock()
	t := &turn{ready: make(chan struct{}), moved: make(chan struct{}, 1)}
	if q.free > 0 {
		q.free--
		close(t.ready)
	} else {
		q.waiting = append(q.waiting, t)
	}
	return t
}

// place is that among those who wait, 0 for a turn that has come.
func (q *queue) place(t *turn) int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return slices.Index(q.waiting, t) + 1
}

// leave frees a place at work.
func (q *queue) leave() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.free++
	q.advance()
}

// giveUp takes a turn back.
func (q *queue) giveUp(t *turn) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if i := slices.Index(q.waiting, t); i >= 0 {
		q.waiting = slices.Delete(q.waiting, i, i+1)
	} else {
		q.free++ // it had come just then
	}
	q.advance()
}

// advance gives free places to those who wait longest, and tells the others.
func (q *queue) advance() {
	n := min(q.free, len(q.waiting))
	for _, t := range q.waiting[:n] {
		close(t.ready)
	}
	q.free -= n
	q.waiting = slices.Delete(q.waiting, 0, n)
	for _, t := range q.waiting {
		select {
		case t.moved <- struct{}{}:
		default:
		}
	}
}

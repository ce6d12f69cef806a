package web

import (
	"context"
	"slices"
	"sync"
)

// queue lets some searches run at once, and the others in order of arrival.
type queue struct {
	mu      sync.Mutex
	free    int
	waiting []*turn
}

type turn struct {
	ready chan struct{} // closed when the search may begin
	moved chan struct{} // receives when its place changes
}

func newQueue(places int) *queue { return &queue{free: places} }

// enter waits for a turn, and calls told with each place in the queue, from 1. It returns ctx's error if that ends first;
// otherwise the caller must call leave.
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

// place returns a turn's place in the queue, 0 once it has come.
func (q *queue) place(t *turn) int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return slices.Index(q.waiting, t) + 1
}

func (q *queue) leave() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.free++
	q.advance()
}

func (q *queue) giveUp(t *turn) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if i := slices.Index(q.waiting, t); i >= 0 {
		q.waiting = slices.Delete(q.waiting, i, i+1)
	} else {
		q.free++ // its turn had come already
	}
	q.advance()
}

// advance gives free places to the longest waiting turns, and wakes the others.
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

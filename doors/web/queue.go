package web

import (
	"context"
	"slices"
	"sync"
)

// queue limits how many searches run at once. The rest wait in order of arrival.
type queue struct {
	mu      sync.Mutex
	free    int // searches that may start
	arrived int
	waiting []int         // arrival numbers, oldest first
	moved   chan struct{} // closed, and replaced, when places in the queue change
}

func newQueue(places int) *queue { return &queue{free: places, moved: make(chan struct{})} }

// enter waits for a turn, and calls report with each new place, counted from 1. If ctx ends first, it returns
// ctx.Err; otherwise the caller must call leave.
func (q *queue) enter(ctx context.Context, report func(place int)) (leave func(), err error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.arrived++
	number := q.arrived
	q.waiting = append(q.waiting, number)
	for last := 0; ; {
		i, moved := slices.Index(q.waiting, number), q.moved
		place := i + 1 - q.free
		if place <= 0 {
			q.waiting = slices.Delete(q.waiting, i, i+1)
			q.free--
			return q.leave, nil
		}
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
		if ctx.Err() != nil {
			q.waiting = slices.DeleteFunc(q.waiting, func(n int) bool { return n == number })
			q.move()
			return nil, ctx.Err()
		}
	}
}

func (q *queue) leave() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.free++
	q.move()
}

// move wakes the waiting searches. The caller must hold mu.
func (q *queue) move() {
	close(q.moved)
	q.moved = make(chan struct{})
}

package analysis

import (
	"context"
	"slices"
	"sync"

	"tengen/engine"
	"tengen/players"
)

// question is a position to search.
type question struct {
	id       string
	position engine.Position // not over
	limit    players.Limit
	every    players.Limit // between partial results; zero: none
	priority int

	cancel context.CancelFunc
}

// queue holds waiting and searched questions.
type queue struct {
	ctx context.Context

	mu       sync.Mutex
	changed  *sync.Cond
	waiting  []*question // the most urgent first, and the oldest of equal ones
	underWay map[*question]bool
	closed   bool
}

func newQueue(ctx context.Context) *queue {
	q := &queue{ctx: ctx, underWay: map[*question]bool{}}
	q.changed = sync.NewCond(&q.mu)
	context.AfterFunc(ctx, q.close)
	return q
}

func (q *queue) add(n *question) {
	q.mu.Lock()
	defer q.mu.Unlock()
	i := len(q.waiting)
	for i > 0 && q.waiting[i-1].priority < n.priority {
		i--
	}
	q.waiting = slices.Insert(q.waiting, i, n)
	q.changed.Signal()
}

// close makes next return once nothing waits.
func (q *queue) close() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.closed = true
	q.changed.Broadcast()
}

// next takes the most urgent question. It waits for one unless the queue is closed. The caller searches under ctx, then
// calls done.
func (q *queue) next() (n *question, ctx context.Context, ok bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for len(q.waiting) == 0 && !q.closed {
		q.changed.Wait()
	}
	if len(q.waiting) == 0 || q.ctx.Err() != nil {
		return nil, nil, false
	}
	n = q.waiting[0]
	q.waiting = slices.Delete(q.waiting, 0, 1)
	ctx, n.cancel = context.WithCancel(q.ctx)
	q.underWay[n] = true
	return n, ctx, true
}

func (q *queue) done(n *question) {
	q.mu.Lock()
	defer q.mu.Unlock()
	n.cancel()
	delete(q.underWay, n)
}

// stop cancels the searches of matching questions, and removes and returns the waiting ones.
func (q *queue) stop(match func(id string) bool) (unsearched []*question) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for n := range q.underWay {
		if match(n.id) {
			n.cancel()
		}
	}
	q.waiting = slices.DeleteFunc(q.waiting, func(n *question) bool {
		if !match(n.id) {
			return false
		}
		unsearched = append(unsearched, n)
		return true
	})
	return unsearched
}

package analysis

import (
	"cmp"
	"container/heap"
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
	every    players.Limit // the gap between partial results; zero: none
	priority int

	number int // of its arrival
	cancel context.CancelFunc
}

// queue holds questions until they are answered. Each one waits or is under way; none waits after the queue's context
// ends.
type queue struct {
	ctx context.Context

	mu       sync.Mutex
	changed  *sync.Cond
	waiting  urgency
	underWay map[*question]bool
	arrived  int
	closed   bool
}

func newQueue(ctx context.Context) *queue {
	q := &queue{ctx: ctx, underWay: map[*question]bool{}}
	q.changed = sync.NewCond(&q.mu)
	context.AfterFunc(ctx, q.close)
	return q
}

// add queues a question.
func (q *queue) add(n *question) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.arrived++
	n.number = q.arrived
	heap.Push(&q.waiting, n)
	q.changed.Signal()
}

// close makes next return once nothing waits.
func (q *queue) close() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.closed = true
	q.changed.Broadcast()
}

// next takes the most urgent question, and waits for one until the queue is closed. The caller searches under ctx and
// then calls done.
func (q *queue) next() (n *question, ctx context.Context, ok bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for len(q.waiting) == 0 && !q.closed {
		q.changed.Wait()
	}
	if len(q.waiting) == 0 || q.ctx.Err() != nil {
		return nil, nil, false
	}
	n = heap.Pop(&q.waiting).(*question)
	ctx, n.cancel = context.WithCancel(q.ctx)
	q.underWay[n] = true
	return n, ctx, true
}

// done forgets an answered question.
func (q *queue) done(n *question) {
	q.mu.Lock()
	defer q.mu.Unlock()
	n.cancel()
	delete(q.underWay, n)
}

// stop cancels the searches of questions whose ids match. It removes the ones that waited and returns them, the oldest
// first.
func (q *queue) stop(match func(id string) bool) (unsearched []*question) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for n := range q.underWay {
		if match(n.id) {
			n.cancel()
		}
	}
	q.waiting = slices.DeleteFunc(q.waiting, func(n *question) bool {
		if match(n.id) {
			unsearched = append(unsearched, n)
			return true
		}
		return false
	})
	heap.Init(&q.waiting)
	slices.SortFunc(unsearched, func(a, b *question) int { return cmp.Compare(a.number, b.number) })
	return unsearched
}

// urgency is a heap with the most urgent question on top.
type urgency []*question

// Len implements heap.Interface.
func (u urgency) Len() int { return len(u) }

// Less implements heap.Interface: the higher priority first, then the older.
func (u urgency) Less(i, j int) bool {
	return cmp.Or(cmp.Compare(u[j].priority, u[i].priority), cmp.Compare(u[i].number, u[j].number)) < 0
}

// Swap implements heap.Interface.
func (u urgency) Swap(i, j int) { u[i], u[j] = u[j], u[i] }

// Push implements heap.Interface.
func (u *urgency) Push(n any) { *u = append(*u, n.(*question)) }

// Pop implements heap.Interface.
func (u *urgency) Pop() any {
	last := len(*u) - 1
	n := (*u)[last]
	(*u)[last] = nil
	*u = (*u)[:last]
	return n
}

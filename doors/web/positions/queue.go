package positions

import (
	"cmp"
	"context"
	"slices"
	"sync"
	"time"
)

// longSearch is the length from which on a search counts as long. Long searches leave one place to the others.
const longSearch = 5 * time.Second

// queue limits how many searches run at once. The rest wait, and visitors take turns: the search that may start is that
// with the least virtual time at its end, its visitor's time so far and its own length, as in start-time fair queueing
// (Goyal, Vin and Cheng 1996). So short ones come early, none waits for ever, and a visitor's own cost only that visitor.
type queue struct {
	places int

	mu       sync.Mutex
	running  int
	long     int // of the running
	clock    time.Duration
	visitors map[string]*visitor // of the searches that run or wait, and those who are ahead of the clock
	waiting  []*place            // in order of arrival
	moved    chan struct{}       // closed, and replaced, when the order of the waiting may change
}

type visitor struct {
	spent   time.Duration // virtual: lengths of the started searches
	running int
}

// place is a search in a queue.
type place struct {
	visitor *visitor
	length  time.Duration // as expected
}

func (p *place) long() bool { return p.length >= longSearch }

func newQueue(places int) *queue {
	return &queue{places: places, visitors: map[string]*visitor{}, moved: make(chan struct{})}
}

// enter waits for the turn of a visitor's search of about the given length, and calls report with each new place in the
// queue, counted from 1. If ctx ends first, it returns ctx.Err; otherwise the caller must call leave.
func (q *queue) enter(ctx context.Context, name string, length time.Duration, report func(place int)) (leave func(), err error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	p := &place{q.visit(name), length}
	q.waiting = append(q.waiting, p)
	for last := 0; ; {
		rank := q.rank(p)
		if rank == 0 {
			q.start(p)
			return func() { q.leave(p) }, nil
		}
		moved := q.moved
		q.mu.Unlock()
		if rank != last {
			report(rank)
			last = rank
		}
		select {
		case <-moved:
		case <-ctx.Done():
		}
		q.mu.Lock()
		if ctx.Err() != nil {
			q.remove(p)
			q.move()
			return nil, ctx.Err()
		}
	}
}

// visit returns the visitor of a name, who begins no earlier than others are.
func (q *queue) visit(name string) *visitor {
	v := q.visitors[name]
	if v == nil {
		v = &visitor{}
		q.visitors[name] = v
	}
	v.spent = max(v.spent, q.clock)
	return v
}

// rank returns how many searches come before a waiting one and that itself, or 0 if it may start.
func (q *queue) rank(p *place) int {
	order := slices.Clone(q.waiting)
	slices.SortStableFunc(order, func(a, b *place) int {
		return cmp.Or(cmp.Compare(min(a.visitor.running, 1), min(b.visitor.running, 1)),
			cmp.Compare(a.visitor.spent+a.length, b.visitor.spent+b.length))
	})
	next := slices.IndexFunc(order, q.mayStart)
	if next >= 0 && order[next] == p {
		return 0
	}
	return 1 + slices.Index(order, p)
}

// mayStart reports whether there is a place for a search. Long searches leave one place to others. A visitor's long search
// runs beside none of the visitor's: each uses all cores anyway.
func (q *queue) mayStart(p *place) bool {
	return q.running < q.places && (!p.long() || q.long < max(1, q.places-1) && p.visitor.running == 0)
}

func (q *queue) start(p *place) {
	q.remove(p)
	q.running++
	p.visitor.running++
	if p.long() {
		q.long++
	}
	q.clock = max(q.clock, p.visitor.spent)
	p.visitor.spent += p.length
	q.move()
}

func (q *queue) remove(p *place) {
	q.waiting = slices.DeleteFunc(q.waiting, func(other *place) bool { return other == p })
}

func (q *queue) leave(p *place) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.running--
	p.visitor.running--
	if p.long() {
		q.long--
	}
	if q.running == 0 && len(q.waiting) == 0 {
		clear(q.visitors)
	}
	q.move()
}

// move wakes the waiting searches. The caller must hold mu.
func (q *queue) move() {
	close(q.moved)
	q.moved = make(chan struct{})
}

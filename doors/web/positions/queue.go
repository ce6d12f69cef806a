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

// queue limits how many searches run at once. The rest wait, and visitors take turns as in weighted fair queueing
// (Demers, Keshav and Shenker 1989): the search that may start is that with the least virtual time at its end, its
// visitor's time so far and its own length. So short ones come early, and a visitor's own cost only that visitor. The
// virtual time goes on with each search that ends, by its length divided by the visitors: newcomers, who start at the
// present time, do not keep a long search waiting for ever.
type queue struct {
	places int

	mu      sync.Mutex
	clock   time.Duration
	spent   map[string]time.Duration // by visitor: virtual time at which its started searches end. Empty without visitors
	running []*place
	waiting []*place      // in order of arrival
	moved   chan struct{} // closed, and replaced, when the order of the waiting may change
}

// place is a search in a queue.
type place struct {
	visitor string
	length  time.Duration // as expected
}

func newQueue(places int) *queue {
	return &queue{places: places, spent: map[string]time.Duration{}, moved: make(chan struct{})}
}

// enter waits for the turn of a visitor's search of about the given length, and calls report with each new place in the
// queue, counted from 1. If ctx ends first, it returns ctx.Err; otherwise the caller must call leave.
func (q *queue) enter(ctx context.Context, visitor string, length time.Duration, report func(place int)) (leave func(), err error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	p := &place{visitor, length}
	q.spent[visitor] = max(q.spent[visitor], q.clock) // a newcomer starts at the present virtual time
	q.waiting = append(q.waiting, p)
	q.wake() // another search of the visitor may have lost its turn
	for last := 0; ; {
		rank := q.rank(p)
		if rank == 0 {
			q.spent[visitor] += length
			q.running = append(q.running, p)
			q.remove(p, &q.waiting)
			return func() {
				q.mu.Lock()
				defer q.mu.Unlock()
				q.clock += p.length / time.Duration(q.visitors())
				q.remove(p, &q.running)
			}, nil
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
			q.remove(p, &q.waiting)
			return nil, ctx.Err()
		}
	}
}

// rank returns how many searches come before a waiting one and that itself, or 0 if it may start.
func (q *queue) rank(p *place) int {
	order := slices.Clone(q.waiting)
	slices.SortStableFunc(order, func(a, b *place) int {
		return cmp.Or(cmp.Compare(min(q.count(a.ofVisitor), 1), min(q.count(b.ofVisitor), 1)),
			cmp.Compare(q.spent[a.visitor]+a.length, q.spent[b.visitor]+b.length))
	})
	next := slices.IndexFunc(order, q.mayStart)
	if next >= 0 && order[next] == p {
		return 0
	}
	return 1 + slices.Index(order, p)
}

// mayStart reports whether there is a place for a search. Long searches leave one place to others. A visitor's long
// search runs beside none of the visitor's: each uses all cores anyway.
func (q *queue) mayStart(p *place) bool {
	return len(q.running) < q.places &&
		(!p.long() || q.count((*place).long) < max(1, q.places-1) && q.count(p.ofVisitor) == 0)
}

func (p *place) long() bool                  { return p.length >= longSearch }
func (p *place) ofVisitor(other *place) bool { return p.visitor == other.visitor }

// count returns how many of the running searches are such.
func (q *queue) count(such func(*place) bool) (n int) {
	for _, p := range q.running {
		if such(p) {
			n++
		}
	}
	return n
}

// visitors returns how many visitors have searches.
func (q *queue) visitors() int {
	all := map[string]bool{}
	for _, p := range slices.Concat(q.running, q.waiting) {
		all[p.visitor] = true
	}
	return len(all)
}

// remove takes a search from a list. The caller must hold mu.
func (q *queue) remove(p *place, from *[]*place) {
	*from = slices.DeleteFunc(*from, func(other *place) bool { return other == p })
	if len(q.running)+len(q.waiting) == 0 {
		clear(q.spent)
	}
	q.wake()
}

// wake lets all who wait look at their place. The caller must hold mu.
func (q *queue) wake() {
	close(q.moved)
	q.moved = make(chan struct{})
}

package cluster

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"

	"tengen/cluster/natslog"
)

const (
	// askTimeout is for how long a worker waits for a lease before it asks again.
	askTimeout = 5 * time.Second
	// silence is the pause after which a worker asks again that was not answered.
	silence = time.Second
)

// allowance is the number of games that a worker may begin by its leases.
type allowance struct {
	left   atomic.Int64
	low    atomic.Int64  // to ask for more in good time
	hungry chan struct{} // receives when there are only so many left
}

func newAllowance() *allowance { return &allowance{hungry: make(chan struct{}, 1)} }

// add takes in a lease.
func (a *allowance) add(games int) {
	left := a.left.Add(int64(games))
	a.low.Store(left / 2)
}

// take reports whether a game may begin, and counts it.
func (a *allowance) take() bool {
	for {
		left := a.left.Load()
		if left <= 0 {
			return false
		}
		if a.left.CompareAndSwap(left, left-1) {
			if left-1 <= a.low.Load() {
				notify(a.hungry)
			}
			return true
		}
	}
}

// pace measures how fast games are finished: by the time that a seat is taken by one.
type pace struct {
	mu     sync.Mutex
	taken  int       // seats
	since  time.Time // when that changed last
	games  float64   // finished
	seatly float64   // seconds that all seats together were taken
}

// change notes that a game begins, or ends.
func (p *pace) change(begun, finished int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := time.Now()
	if p.taken > 0 {
		p.seatly += now.Sub(p.since).Seconds() * float64(p.taken)
	}
	p.taken, p.since = p.taken+begun-finished, now
	p.games += float64(finished)
	const memory = 1000 // games; what was before them counts less and less
	if p.games > memory {
		p.games, p.seatly = p.games/2, p.seatly/2
	}
}

// rate is the number of games a second that so many seats finish, 0 if it is not known yet.
func (p *pace) rate(seats int) float64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.games == 0 || p.seatly <= 0 {
		return 0
	}
	return float64(seats) * p.games / p.seatly
}

// renew asks for leases until ctx ends: before the last one is used up, when there is nothing to do or a new order, and from time
// to time.
func (w *Worker) renew(ctx context.Context) error {
	defer w.leave()
	for {
		l, err := w.ask(ctx)
		if err != nil {
			return err
		}
		var hungry <-chan struct{}
		if l.Games > 0 {
			hungry = w.allowed.hungry
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-hungry:
		case <-w.want:
		case <-time.After(jitter(time.Duration(l.Again) * time.Millisecond)):
		}
	}
}

// jitter is between a half of a duration and all of it, so that workers do not ask in step.
func jitter(d time.Duration) time.Duration { return d/2 + rand.N(d/2+1) }

// ask asks for a lease and takes it in. It is an error if the run refuses the worker.
func (w *Worker) ask(ctx context.Context) (lease, error) {
	t := w.task.Load()
	none := lease{Again: int(silence.Milliseconds())}
	if t == nil {
		return none, nil
	}
	asked, err := json.Marshal(request{w.demand(), w.instance})
	if err != nil {
		return none, nil
	}
	ctx, cancel := context.WithTimeout(ctx, askTimeout)
	defer cancel()
	answer, err := w.conn.RequestWithContext(ctx, natslog.LeaseSubject(w.cfg.Run, w.Name()), asked)
	if err != nil {
		return none, nil // nobody trains at the moment
	}
	var l reply
	if json.Unmarshal(answer.Data, &l) != nil {
		return none, nil
	}
	if l.Refused != "" {
		return none, fmt.Errorf("the run refuses this worker: %.300q", l.Refused)
	}
	l.Again = min(max(l.Again, 1), int(renewal.Milliseconds()))
	l.Games = min(l.Games, mostGames)
	if l.Games > 0 && !w.draining.Load() {
		w.allowed.add(l.Games)
		w.wake.ring()
	}
	if l.Model != "" && l.Model != w.order.Load().Model.Name { // whoever trains has begun, and there is a new order
		notify(w.look)
	}
	return l.lease, nil
}

// demand is what the worker says of itself.
func (w *Worker) demand() demand {
	if w.draining.Load() {
		return demand{Open: int(w.open.Load()), Unsent: int(w.spool.unsent.Load())}
	}
	seats := w.player.Seats()
	d := demand{Unused: int(w.allowed.left.Load()), Seats: seats, Rate: w.pace.rate(seats), Model: w.task.Load().model.Iteration}
	d.Open, d.Unsent = int(w.open.Load()), int(w.spool.unsent.Load()) // later: a game that begins meanwhile is not left out
	if trouble := w.trouble.Load(); trouble != nil {
		d.Trouble = *trouble
	}
	return d
}

// leave gives back the games that the worker will not play.
func (w *Worker) leave() {
	if gone, err := json.Marshal(demand{Unsent: int(w.spool.unsent.Load())}); err == nil {
		w.conn.Publish(natslog.LeaseSubject(w.cfg.Run, w.Name()), gone) // without it, they are free after leaseLife
	}
}

// notify wakes the one who waits at a channel of capacity 1.
func notify(c chan<- struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// bell wakes all who wait for it. The zero bell is ready.
type bell struct {
	mu   sync.Mutex
	next chan struct{}
}

// rung returns a channel that is closed at the next ring.
func (b *bell) rung() <-chan struct{} {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.next == nil {
		b.next = make(chan struct{})
	}
	return b.next
}

func (b *bell) ring() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.next != nil {
		close(b.next)
		b.next = nil
	}
}

package cluster

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"

	"tengen/replay"
)

const (
	ackWait       = 30 * time.Second // after which a task is given to somebody else
	progressEvery = 10 * time.Second
	pullWait      = 5 * time.Second // for which the server keeps a request for a task
	retryWait     = 500 * time.Millisecond
	lookWait      = 100 * time.Millisecond // between two looks, should a bell have been missed
)

// hand holds the tasks that a player has pulled. Its methods may be called by several goroutines at once.
type hand struct {
	conn   *nats.Conn
	model  uint64
	target int // as many numbers are to wait for a free place

	mu    sync.Mutex
	queue []uint64         // to begin
	of    map[uint64]*held // by the numbers that are not answered yet
	shut  bool

	low  bell // rings when the queue is below the target
	came bell // rings when there is something to begin
}

// held is a task.
type held struct {
	ack  string // subject
	left int    // games that are not answered yet
}

func newHand(conn *nats.Conn, model uint64, parallel int) *hand {
	return &hand{conn: conn, model: model, target: max(parallel/4, 1), of: map[uint64]*held{}, low: newBell(), came: newBell()}
}

// next is for Player.Play. It never waits.
func (h *hand) next() (number uint64, ok bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.queue) <= h.target {
		h.low.ring()
	}
	if len(h.queue) == 0 {
		return 0, false
	}
	number, h.queue = h.queue[0], h.queue[1:]
	return number, true
}

// waiting is the number of games to begin.
func (h *hand) waiting() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return len(h.queue)
}

// add takes a task. Games of it that the hand has already, because they were handed out again, do not count.
func (h *hand) add(t task, ack string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.shut {
		h.conn.Publish(ack, []byte("-NAK"))
		return
	}
	held := &held{ack: ack}
	for n := t.First; n < t.End; n++ {
		if h.of[n] == nil {
			h.of[n] = held
			h.queue = append(h.queue, n)
			held.left++
		}
	}
	if held.left == 0 {
		h.conn.Publish(ack, []byte("+ACK"))
	}
	h.came.ring()
}

// answered acknowledges the task of a game when it was the last.
func (h *hand) answered(number uint64) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if held := h.of[number]; held != nil {
		delete(h.of, number)
		if held.left--; held.left == 0 {
			h.conn.Publish(held.ack, []byte("+ACK"))
		}
	}
}

// shutNow lets no more games begin.
func (h *hand) shutNow() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.shut, h.queue = true, nil
}

// giveBack lets others have the tasks that are not done.
func (h *hand) giveBack() {
	h.shutNow()
	h.say("-NAK")
}

// progress tells the server from time to time, until ctx ends, that the tasks are being played.
func (h *hand) progress(ctx context.Context) {
	for ; ctx.Err() == nil; pause(ctx, progressEvery) {
		h.say("+WPI")
	}
}

// say tells the server something about each task.
func (h *hand) say(what string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	told := map[*held]bool{}
	for _, t := range h.of {
		if !told[t] {
			h.conn.Publish(t.ack, []byte(what))
			told[t] = true
		}
	}
}

var errNoTask = errors.New("there is no task")

// puller asks a server for tasks, one at a time. Tasks come under the subject that they were published under, by which the
// requests of a connection cannot tell their answers apart: so it has a separate subscription. It is not safe for concurrent
// use.
type puller struct {
	conn    *nats.Conn
	run     string
	answers *nats.Subscription
	asked   time.Time // zero if no answer is to come
}

func newPuller(conn *nats.Conn, run string) (*puller, error) {
	answers, err := conn.SubscribeSync(conn.NewInbox())
	return &puller{conn: conn, run: run, answers: answers}, err
}

// pull takes a task from the server, for which it waits unless wait is 0, and gives it to a hand. A task for another model than
// the hand's is given back. What was asked for and has not come when ctx ended comes to the next call.
func (p *puller) pull(ctx context.Context, wait time.Duration, h *hand) error {
	if time.Since(p.asked) > wait+pullWait {
		body := []byte(`{"batch":1,"no_wait":true}`)
		if wait > 0 {
			body = fmt.Appendf(nil, `{"batch":1,"expires":%d}`, wait)
		}
		if err := p.conn.PublishRequest(pullSubject(p.run), p.answers.Subject, body); err != nil {
			return err
		}
		p.asked = time.Now()
	}
	ctx, cancel := context.WithDeadline(ctx, p.asked.Add(wait+pullWait))
	defer cancel()
	m, err := p.answers.NextMsgWithContext(ctx)
	if ctx.Err() == nil {
		p.asked = time.Time{}
	}
	switch {
	case err != nil:
		return err
	case m.Header.Get("Status") != "":
		return errNoTask
	}
	var t task
	if json.Unmarshal(m.Data, &t) != nil || t.End-t.First > mostTaskGames {
		return fmt.Errorf("%.100q is no task", m.Data)
	}
	if t.Model != h.model {
		p.conn.Publish(m.Reply, fmt.Appendf(nil, `-NAK {"delay":%d}`, retryWait/4)) // the news of it is on its way
		return errors.New("the task is for another model")
	}
	h.add(t, m.Reply)
	return nil
}

// bell wakes one goroutine that waits for news. It may be rung at any time.
type bell chan struct{}

func newBell() bell { return make(bell, 1) }

func (b bell) ring() {
	select {
	case b <- struct{}{}:
	default:
	}
}

// wait returns when a bell rings, a time has passed, or ctx has ended.
func wait(ctx context.Context, b bell, most time.Duration) {
	timer := time.NewTimer(most)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-b:
	case <-timer.C:
	}
}

// pause returns when a time has passed, or ctx has ended.
func pause(ctx context.Context, d time.Duration) { wait(ctx, nil, d) }

// playHere plays games of a book in this process: tasks first, like a worker. When the server has no more of them, or is not
// there, it plays the oldest missing games, even if others play them, too.
func (p *Pool) playHere(b *book) (stats replay.Stats, err error) {
	h := newHand(p.conn, b.model, p.cfg.Local.ParallelGames())
	var drained atomic.Bool // the server has no task
	next := func() (uint64, bool) {
		for {
			n, ok := h.next()
			if !ok {
				break
			}
			if b.begin(n) {
				return n, true
			}
			h.answered(n) // somebody else has played it
		}
		if !drained.Load() {
			return 0, false
		}
		return b.beginOldest()
	}
	finished := func(g *replay.Record) error {
		defer h.answered(g.Number)
		if !b.claim(g.Number) {
			return nil
		}
		p.plain(g)
		if err := b.sink.Keep(Local, g); err != nil {
			return err
		}
		b.settle(1, 0)
		return nil
	}

	ctx, stop := context.WithCancel(b.ctx)
	var fetching sync.WaitGroup
	fetching.Go(func() { h.progress(ctx) })
	fetching.Go(func() {
		for ctx.Err() == nil {
			if h.waiting() >= h.target {
				wait(ctx, h.low, lookWait)
			} else if err := p.puller.pull(ctx, 0, h); err != nil {
				drained.Store(true)
				h.came.ring()
				pause(ctx, lookWait)
			} else {
				drained.Store(false)
			}
		}
	})
	defer func() {
		stop()
		fetching.Wait()
		h.giveBack()
	}()
	for ctx.Err() == nil {
		some, err := p.cfg.Local.Play(ctx, b.model, b.weights, next, finished)
		if err != nil {
			return stats, err
		}
		stats.Add(some)
		if some.Games == 0 {
			wait(ctx, h.came, lookWait)
		}
	}
	return stats, nil
}

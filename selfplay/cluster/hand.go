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
	ackWait       = 30 * time.Second // after which the server delivers a task again
	progressEvery = 10 * time.Second
	pullWait      = 5 * time.Second // for which the server holds a request
	retryWait     = 500 * time.Millisecond
	lookWait      = 100 * time.Millisecond // poll interval
)

// hand holds a player's tasks. It is safe for concurrent use.
type hand struct {
	conn   *nats.Conn
	model  uint64
	target int // length of the queue

	mu    sync.Mutex
	queue []uint64         // games to begin
	of    map[uint64]*held // by unanswered game numbers
	shut  bool

	low  bell // rings when the queue falls below target
	came bell // rings when a task has arrived
}

type held struct {
	ack  string // subject
	left int    // unanswered games
}

func newHand(conn *nats.Conn, model uint64, parallel int) *hand {
	return &hand{conn: conn, model: model, target: max(parallel/4, 1), of: map[uint64]*held{}, low: newBell(), came: newBell()}
}

// next is for Player.Play. It never blocks.
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

func (h *hand) waiting() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return len(h.queue)
}

// add queues a task's games, except those held from an earlier delivery.
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

// answered acknowledges a task after its last game.
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

func (h *hand) shutNow() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.shut, h.queue = true, nil
}

func (h *hand) giveBack() {
	h.shutNow()
	h.say("-NAK")
}

// progress prevents redelivery of the tasks until ctx ends.
func (h *hand) progress(ctx context.Context) {
	for ; ctx.Err() == nil; pause(ctx, progressEvery) {
		h.say("+WPI")
	}
}

// say sends an acknowledgement, such as -NAK, for each task.
func (h *hand) say(what string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	tasks := map[*held]bool{}
	for _, t := range h.of {
		tasks[t] = true
	}
	for t := range tasks {
		h.conn.Publish(t.ack, []byte(what))
	}
}

// puller requests tasks, one at a time. Tasks arrive under their original subject, hence the reply subscription.
type puller struct {
	conn    *nats.Conn
	run     string
	answers *nats.Subscription
	asked   time.Time // zero without a request
}

func newPuller(conn *nats.Conn, run string) (*puller, error) {
	answers, err := conn.SubscribeSync(conn.NewInbox())
	return &puller{conn: conn, run: run, answers: answers}, err
}

// pull adds a task to a hand. The server waits up to wait for one. Another model's task goes back to the server. If ctx
// ends first, the next call receives the outstanding task.
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
		return errors.New("there is no task")
	}
	var t task
	if json.Unmarshal(m.Data, &t) != nil || t.End-t.First > mostTaskGames {
		return fmt.Errorf("%.100q is not a task", m.Data)
	}
	if t.Model != h.model {
		p.conn.Publish(m.Reply, fmt.Appendf(nil, `-NAK {"delay":%d}`, retryWait/4)) // the order for it will arrive soon
		return errors.New("the task is for another model")
	}
	h.add(t, m.Reply)
	return nil
}

// bell wakes one waiting goroutine.
type bell chan struct{}

func newBell() bell { return make(bell, 1) }

func (b bell) ring() {
	select {
	case b <- struct{}{}:
	default:
	}
}

// wait returns when b rings, after most, or when ctx ends.
func wait(ctx context.Context, b bell, most time.Duration) {
	timer := time.NewTimer(most)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-b:
	case <-timer.C:
	}
}

func pause(ctx context.Context, d time.Duration) { wait(ctx, nil, d) }

// playHere plays a book's games in this process. It pulls tasks like a worker. Without tasks, it plays the oldest
// missing games, even if workers hold them.
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
			h.answered(n) // another player has it
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

package cluster

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"

	"tengen/replay"
)

const (
	ackWait       = 30 * time.Second // then the server delivers an unacknowledged task again
	progressEvery = 10 * time.Second
	pullWait      = 5 * time.Second // the server keeps a request for a task this long
	retryWait     = 500 * time.Millisecond
	pollEvery     = 100 * time.Millisecond
)

// hand holds the tasks that a player has taken from the server. It is safe for concurrent use.
type hand struct {
	conn   *nats.Conn
	model  uint64
	target int // wanted length of the queue

	mu     sync.Mutex
	queue  []uint64             // games to begin
	tasks  map[uint64]*heldTask // of unanswered games, by game number
	closed bool                 // to further tasks

	low   bell // rings when the queue falls below target
	added bell // rings when a task has arrived
}

type heldTask struct {
	ack  string // subject for acknowledgements
	left int    // unanswered games
}

func newHand(conn *nats.Conn, model uint64, parallel int) *hand {
	return &hand{conn: conn, model: model, target: max(parallel/4, 1), tasks: map[uint64]*heldTask{}, low: newBell(), added: newBell()}
}

// next returns a game to begin, for Player.Play. It never blocks.
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

func (h *hand) queued() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return len(h.queue)
}

// add queues a task's games, except those held from an earlier delivery.
func (h *hand) add(t task, ack string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed {
		h.conn.Publish(ack, []byte("-NAK"))
		return
	}
	held := &heldTask{ack: ack}
	for n := t.First; n < t.End; n++ {
		if h.tasks[n] == nil {
			h.tasks[n] = held
			h.queue = append(h.queue, n)
			held.left++
		}
	}
	if held.left == 0 {
		h.conn.Publish(ack, []byte("+ACK"))
	}
	h.added.ring()
}

// answered records that the trainer has answered a game. After a task's last game, it acknowledges the task.
func (h *hand) answered(number uint64) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if held := h.tasks[number]; held != nil {
		delete(h.tasks, number)
		if held.left--; held.left == 0 {
			h.conn.Publish(held.ack, []byte("+ACK"))
		}
	}
}

// close drops the games that have not begun, and refuses further tasks.
func (h *hand) close() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.closed, h.queue = true, nil
}

func (h *hand) giveBack() {
	h.close()
	h.say("-NAK")
}

// progress tells the server until ctx ends that the tasks are in progress. Otherwise it would deliver them again.
func (h *hand) progress(ctx context.Context) {
	for ; ctx.Err() == nil; pause(ctx, progressEvery) {
		h.say("+WPI")
	}
}

// say sends an acknowledgement, such as -NAK, for each task.
func (h *hand) say(text string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	all := map[*heldTask]bool{}
	for _, t := range h.tasks {
		all[t] = true
	}
	for t := range all {
		h.conn.Publish(t.ack, []byte(text))
	}
}

// puller requests tasks, one at a time. A task arrives under its own subject, by which conn.Request cannot find the
// request that it answers.
type puller struct {
	conn    *nats.Conn
	run     string
	answers *nats.Subscription
	asked   time.Time // when the open request was sent; zero without one
}

func newPuller(conn *nats.Conn, run string) (*puller, error) {
	answers, err := conn.SubscribeSync(conn.NewInbox())
	return &puller{conn: conn, run: run, answers: answers}, err
}

// pull requests a task for h. It fails if the server has none within the time wait. It gives another model's task
// back to the server and fails. If ctx ends first, the next call receives the answer.
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
	t, err := readTask(m.Data)
	if err != nil {
		return err
	}
	if t.Model != h.model {
		p.conn.Publish(m.Reply, fmt.Appendf(nil, `-NAK {"delay":%d}`, retryWait/4)) // that model's order will arrive soon
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

// wait returns when b rings, after the time most, or when ctx ends.
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
			h.answered(n) // it is kept, or being played here
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
			if h.queued() >= h.target {
				wait(ctx, h.low, pollEvery)
			} else if err := p.puller.pull(ctx, 0, h); err != nil {
				drained.Store(true)
				h.added.ring()
				pause(ctx, pollEvery)
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
			wait(ctx, h.added, pollEvery)
		}
	}
	return stats, nil
}

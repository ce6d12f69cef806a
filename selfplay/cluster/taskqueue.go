package cluster

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
)

const (
	ackWait   = 30 * time.Second // then the server delivers an unacknowledged task again
	pullWait  = 5 * time.Second  // the server keeps a request for a task this long
	retryWait = 500 * time.Millisecond
	pollEvery = 100 * time.Millisecond
)

// taskQueue holds the games of a model that a worker was given. It is safe for concurrent use.
type taskQueue struct {
	model uint64
	added signal // sent when a task has arrived

	mu    sync.Mutex
	queue []uint64        // to begin
	held  map[uint64]bool // not answered
}

func newTaskQueue(model uint64) *taskQueue {
	return &taskQueue{model: model, held: map[uint64]bool{}, added: newSignal()}
}

// next returns a game to begin, for Player.Play. It never blocks.
func (q *taskQueue) next() (number uint64, ok bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.queue) == 0 {
		return 0, false
	}
	number, q.queue = q.queue[0], q.queue[1:]
	return number, true
}

func (q *taskQueue) queued() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.queue)
}

// add queues a task's games, except those that the worker holds already.
func (q *taskQueue) add(t task) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for n := t.First; n < t.End; n++ {
		if !q.held[n] {
			q.held[n] = true
			q.queue = append(q.queue, n)
		}
	}
	q.added.notify()
}

// answered records that the trainer has answered games.
func (q *taskQueue) answered(numbers []uint64) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, n := range numbers {
		delete(q.held, n)
	}
}

// drop drops the games that have not begun.
func (q *taskQueue) drop() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.queue = nil
}

// puller requests a worker's tasks, one at a time. A task arrives under its own subject, by which conn.Request cannot
// find the request that it answers.
type puller struct {
	conn    *nats.Conn
	subject string // of requests
	answers *nats.Subscription
	asked   time.Time // when the open request was sent; zero without one
}

func newPuller(conn *nats.Conn, run, worker string) (*puller, error) {
	answers, err := conn.SubscribeSync(conn.NewInbox())
	return &puller{conn: conn, subject: pullSubject(run, worker), answers: answers}, err
}

// pull requests a task, adds it to q and acknowledges it. It fails if the server has none within pullWait. It gives
// another model's task back to the server and fails. If ctx ends first, the next call receives the answer.
func (p *puller) pull(ctx context.Context, q *taskQueue) error {
	if time.Since(p.asked) > 2*pullWait {
		if err := p.conn.PublishRequest(p.subject, p.answers.Subject, fmt.Appendf(nil, `{"batch":1,"expires":%d}`, pullWait)); err != nil {
			return err
		}
		p.asked = time.Now()
	}
	ctx, cancel := context.WithDeadline(ctx, p.asked.Add(2*pullWait))
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
	if t.Model != q.model {
		p.conn.Publish(m.Reply, fmt.Appendf(nil, `-NAK {"delay":%d}`, retryWait/4)) // that model's order will arrive soon
		return errors.New("the task is for another model")
	}
	q.add(t)
	return m.Ack()
}

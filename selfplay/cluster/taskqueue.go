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
	ackWait       = 30 * time.Second // then the server delivers an unacknowledged task again
	progressEvery = 10 * time.Second
	pullWait      = 5 * time.Second // the server keeps a request for a task this long
	retryWait     = 500 * time.Millisecond
	pollEvery     = 100 * time.Millisecond
)

// taskQueue holds the tasks that a player has taken from the server. It is safe for concurrent use.
type taskQueue struct {
	conn   *nats.Conn
	model  uint64
	target int // wanted length of the queue

	mu     sync.Mutex
	queue  []uint64             // games to begin
	tasks  map[uint64]*heldTask // of unanswered games, by game number
	closed bool                 // to further tasks

	low   signal // sent when the queue falls below target
	added signal // sent when a task has arrived
}

type heldTask struct {
	ack  string // subject for acknowledgements
	left int    // unanswered games
}

func newTaskQueue(conn *nats.Conn, model uint64, parallel int) *taskQueue {
	return &taskQueue{conn: conn, model: model, target: max(parallel/4, 1), tasks: map[uint64]*heldTask{}, low: newSignal(), added: newSignal()}
}

// next returns a game to begin, for GamePlayer.Play. It never blocks.
func (q *taskQueue) next() (number uint64, ok bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.queue) <= q.target {
		q.low.notify()
	}
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

// add queues a task's games, except those held from an earlier delivery.
func (q *taskQueue) add(t task, ack string) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed {
		q.conn.Publish(ack, []byte("-NAK"))
		return
	}
	held := &heldTask{ack: ack}
	for n := t.First; n < t.End; n++ {
		if q.tasks[n] == nil {
			q.tasks[n] = held
			q.queue = append(q.queue, n)
			held.left++
		}
	}
	if held.left == 0 {
		q.conn.Publish(ack, []byte("+ACK"))
	}
	q.added.notify()
}

// answered records that the trainer has answered a game. After a task's last game, it acknowledges the task.
func (q *taskQueue) answered(number uint64) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if held := q.tasks[number]; held != nil {
		delete(q.tasks, number)
		if held.left--; held.left == 0 {
			q.conn.Publish(held.ack, []byte("+ACK"))
		}
	}
}

// close drops the games that have not begun, and refuses further tasks.
func (q *taskQueue) close() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.closed, q.queue = true, nil
}

func (q *taskQueue) giveBack() {
	q.close()
	q.acknowledge("-NAK")
}

// progress tells the server until ctx ends that the tasks are in progress. Otherwise it would deliver them again.
func (q *taskQueue) progress(ctx context.Context) {
	for ; ctx.Err() == nil; pause(ctx, progressEvery) {
		q.acknowledge("+WPI")
	}
}

// acknowledge sends an acknowledgement, such as -NAK, for each task.
func (q *taskQueue) acknowledge(text string) {
	q.mu.Lock()
	defer q.mu.Unlock()
	all := map[*heldTask]bool{}
	for _, t := range q.tasks {
		all[t] = true
	}
	for t := range all {
		q.conn.Publish(t.ack, []byte(text))
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

// pull requests a task and adds it to q. It fails if the server has none within the time wait. It gives another model's
// task back to the server and fails. If ctx ends first, the next call receives the answer.
func (p *puller) pull(ctx context.Context, wait time.Duration, q *taskQueue) error {
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
	if t.Model != q.model {
		p.conn.Publish(m.Reply, fmt.Appendf(nil, `-NAK {"delay":%d}`, retryWait/4)) // that model's order will arrive soon
		return errors.New("the task is for another model")
	}
	q.add(t, m.Reply)
	return nil
}

package cluster

import (
	"errors"
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

// receive adds a message's task and acknowledges it. It gives another model's task back to the server and fails.
func (q *taskQueue) receive(m *nats.Msg) error {
	t, err := readTask(m.Data)
	if err != nil {
		return err
	}
	if t.Model != q.model {
		m.NakWithDelay(retryWait / 4) // that model's order will arrive soon
		return errors.New("the task is for another model")
	}
	q.add(t)
	return m.Ack()
}

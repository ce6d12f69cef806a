package cluster

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/nats-io/nats.go"
	"golang.org/x/sync/errgroup"

	"tengen/net"
	"tengen/replay"
)

const (
	senders    = 4                // messages in flight, to hide latency
	answerTime = 10 * time.Second // the worker waits this long before it sends a message again
	maxUnsent  = 256              // buffered games; then players block
	maxBytes   = 192 << 10        // rough size of a message's games
)

type finishedGame struct {
	number  uint64
	content []byte
}

// play plays a model's tasks until ctx ends, or until the worker has drained.
func (w *Worker) play(ctx context.Context, model uint64, weights *net.Weights) error {
	q := newTaskQueue(model)
	w.model.Store(model)
	w.atOnce.Store(int64(w.player.ParallelGames()))
	defer w.atOnce.Store(0)
	w.sendStatus() // the trainer gives it games
	out := make(chan finishedGame, maxUnsent)
	group, ctx := errgroup.WithContext(ctx)
	fetching, stop := context.WithCancel(ctx)
	defer context.AfterFunc(w.acceptCtx, func() {
		stop()
		q.drop()
		w.atOnce.Store(0)
		w.sendStatus()
	})()
	group.Go(func() error {
		for fetching.Err() == nil {
			w.fetchTask(fetching, q)
		}
		return nil
	})
	group.Go(func() error {
		defer close(out)
		return w.playTasks(ctx, model, weights, q, out)
	})
	group.Go(func() error {
		defer stop()
		var sending errgroup.Group
		for range senders {
			sending.Go(func() error { return w.send(ctx, q, out) })
		}
		return sending.Wait()
	})
	return group.Wait()
}

func (w *Worker) playTasks(ctx context.Context, model uint64, weights *net.Weights, q *taskQueue, out chan<- finishedGame) error {
	keep := replay.SinkFunc(func(_ string, g *replay.Record) error {
		content, err := g.MarshalBinary()
		if err != nil {
			return err
		}
		select {
		case out <- finishedGame{g.Number, content}:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	})
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-w.acceptCtx.Done():
			return nil
		case <-q.added:
		}
		w.playing.Store(true)
		_, err := w.player.Play(ctx, model, weights, q.next, keep)
		w.playing.Store(false)
		if err != nil {
			return err
		}
		if q.queued() > 0 {
			q.added.notify()
		}
	}
}

// fetchTask adds a task to the queue, or waits.
func (w *Worker) fetchTask(ctx context.Context, q *taskQueue) {
	limited, cancel := context.WithTimeout(ctx, pullWait)
	defer cancel()
	tasks, err := w.tasks.Fetch(1, nats.Context(limited))
	if err == nil {
		err = q.receive(tasks[0])
	}
	if err != nil { // also without a task: the server may lack the worker's consumer
		w.news.notify()
		pause(ctx, retryWait)
	}
}

// send sends games until out is closed. A message has several games if they are available.
func (w *Worker) send(ctx context.Context, q *taskQueue, out <-chan finishedGame) error {
	for g := range out {
		numbers, records, size := []uint64{g.number}, [][]byte{g.content}, len(g.content)
		for more := true; more && size < maxBytes; {
			select {
			case g, more = <-out:
				if more {
					numbers, records, size = append(numbers, g.number), append(records, g.content), size+len(g.content)
				}
			default:
				more = false
			}
		}
		if err := w.deliver(ctx, records); err != nil {
			return err
		}
		w.games.Add(int64(len(numbers)))
		q.answered(numbers)
	}
	return ctx.Err()
}

// deliver resends a message with games until it is answered. Games that are too large together go one by one.
func (w *Worker) deliver(ctx context.Context, records [][]byte) error {
	content := encode(message{w.digest, records})
	for ctx.Err() == nil {
		m, err := w.request(ctx, answerTime, gamesSubject(w.cfg.Run, w.cfg.Name), content)
		switch {
		case errors.Is(err, nats.ErrMaxPayload) && len(records) > 1:
			return cmp.Or(w.deliver(ctx, records[:1]), w.deliver(ctx, records[1:]))
		case errors.Is(err, nats.ErrMaxPayload):
			return fmt.Errorf("a game needs a message of %d bytes, but the run's server takes at most %d (%w): "+
				"let the trainer play alone, or raise max_payload on your own server", len(content), w.conn.MaxPayload(), err)
		case err == nil && len(m.Data) > 0:
			return fmt.Errorf("the run refuses this worker's games: %s", m.Data)
		case err == nil:
			return nil
		case errors.Is(err, context.DeadlineExceeded) && w.conn.IsConnected():
			w.cfg.Report(fmt.Errorf("games wait to be sent: %w", err))
		}
		pause(ctx, retryWait)
	}
	return ctx.Err()
}

const (
	chunkSize = 128 << 10
	// chunksUnderWay limits concurrent requests: more would fill a slow line with obsolete chunks.
	chunksUnderWay = 4
	chunkWait      = 30 * time.Second
	maxGets        = 3
)

func chunksOf(file []byte) [][]byte { return slices.Collect(slices.Chunk(file, chunkSize)) }

// fetchModel fetches a model despite lost connections. It fails if the model is unusable.
func (w *Worker) fetchModel(ctx context.Context, info modelInfo) (*net.Weights, error) {
	if info.Size < 1 || info.Size > net.MaxFile {
		return nil, fmt.Errorf("the run's model has %d bytes, but must have 1 to %d", info.Size, net.MaxFile)
	}
	w.fetching.Store(int64(info.Size))
	defer w.fetching.Store(0)
	file := make([]byte, info.Size)
	for {
		w.fetched.Store(0)
		group, fetching := errgroup.WithContext(ctx)
		group.SetLimit(chunksUnderWay)
		for i, chunk := range chunksOf(file) {
			group.Go(func() error { return w.fetchChunk(fetching, info.Iteration, i, chunk) })
		}
		if err := group.Wait(); err != nil {
			return nil, err
		}
		if digest(file) == info.SHA256 {
			break
		}
		pause(ctx, retryWait) // the trainer has replaced the model
	}
	var m net.Model
	if err := m.UnmarshalBinary(file); err != nil {
		return nil, err
	}
	return m.Weights, m.Check(w.settings.Game, w.settings.Shape)
}

func (w *Worker) fetchChunk(ctx context.Context, model uint64, i int, chunk []byte) error {
	for ctx.Err() == nil {
		content, err := w.get(ctx, chunkRequest(w.cfg.Run, model, i))
		if err == nil && len(content) == len(chunk) {
			copy(chunk, content)
			w.fetched.Add(int64(len(chunk)))
			return nil
		}
		pause(ctx, retryWait)
	}
	return ctx.Err()
}

// get requests a stream's message. It repeats requests that the server fails to answer, and those without responders:
// an account has none while the server changes its imports.
func (w *Worker) get(ctx context.Context, request string) (_ []byte, err error) {
	for range maxGets {
		m, failed := w.request(ctx, chunkWait, request, nil)
		switch {
		case errors.Is(failed, nats.ErrNoResponders):
			err = ErrNoRun
		case failed != nil:
			return nil, failed
		case m.Header.Get("Status") == "":
			return m.Data, nil
		case m.Header.Get("Status") == "404": // the stream lacks this message
			return nil, ErrNoRun
		default:
			err = fmt.Errorf("the server answers %s %s", m.Header.Get("Status"), m.Header.Get("Description"))
		}
		pause(ctx, retryWait)
	}
	return nil, err
}

package players

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"

	"tengen/game"
)

// Request asks AnalyzeAll about a position.
type Request[S game.State[S]] struct {
	Position S                     // not over
	Rng      *rand.Rand            // for this position alone
	Answer   func(*Analysis) error // is told the answer; an error ends AnalyzeAll
	Skip     bool                  // there is no position: Answer is told nil, in its turn
}

// largestGroup is the number of positions that a worker takes at most, to analyze them in one call.
const largestGroup = 32

// AnalyzeAll answers requests until their channel is closed. Workers, at least 1, is the number of goroutines that analyze,
// each with a player of its own, which is made when it is first needed.
//
// A request is answered as soon as it and those before it have been analyzed: Answer is called in the order of the
// requests, by the goroutine that called AnalyzeAll. Nobody waits for further requests, so the sender may wait for each
// answer. Where many are waiting, a worker takes several at once, so that a network fills its batches; as an Answerer promises,
// the answers are the same.
//
// The first error of the factory, a player or an Answer, in the order of the requests, ends AnalyzeAll, and so does the end
// of ctx. It returns the error when its goroutines have ended. Nobody receives requests then, so who sends them must give up.
func AnalyzeAll[S game.State[S]](ctx context.Context, newPlayer func() (Answerer[S], error), workers int, requests <-chan Request[S]) error {
	if workers < 1 {
		panic(fmt.Sprintf("players: %d workers to analyze", workers))
	}
	ctx, stop := context.WithCancel(ctx)
	var running sync.WaitGroup
	defer running.Wait()
	defer stop()

	a := &analyzers[S]{
		newPlayer: newPlayer,
		workers:   workers,
		waiting:   make(chan *task[S], workers*largestGroup),
		unsettled: make(chan *task[S], 2*workers*largestGroup),
	}
	running.Go(func() { a.accept(ctx, requests) })
	for range workers {
		running.Go(func() { a.work(ctx) })
	}
	for t := range a.unsettled {
		select {
		case <-t.done:
		case <-ctx.Done():
			return ctx.Err()
		}
		if t.err != nil {
			return t.err
		}
		if err := t.request.Answer(t.analysis); err != nil {
			return err
		}
	}
	return ctx.Err()
}

// analyzers is what the goroutines of AnalyzeAll share. Workers take tasks in the order of the requests, so those before a
// task that is taken are taken too, and AnalyzeAll never waits in vain for one before an error.
type analyzers[S game.State[S]] struct {
	newPlayer func() (Answerer[S], error)
	workers   int
	waiting   chan *task[S] // for a worker
	unsettled chan *task[S] // for their answers, all in order
}

// task is a request under way.
type task[S game.State[S]] struct {
	request  Request[S]
	analysis *Analysis
	err      error
	done     chan struct{} // closed when the two above are final
}

// accept makes tasks of the requests until there are no more or ctx ends.
func (a *analyzers[S]) accept(ctx context.Context, requests <-chan Request[S]) {
	defer close(a.waiting)
	defer close(a.unsettled)
	for {
		select {
		case r, ok := <-requests:
			if !ok {
				return
			}
			t := &task[S]{request: r, done: make(chan struct{})}
			queues := []chan<- *task[S]{a.unsettled, a.waiting}
			if r.Skip {
				close(t.done)
				queues = queues[:1]
			}
			for _, queue := range queues {
				select {
				case queue <- t:
				case <-ctx.Done():
					return
				}
			}
		case <-ctx.Done():
			return
		}
	}
}

// work analyzes what is waiting until there is no more, something fails or ctx ends.
func (a *analyzers[S]) work(ctx context.Context) {
	var player Answerer[S]
	for t := range a.waiting {
		var err error
		if player == nil {
			player, err = a.newPlayer()
		}
		tasks := []*task[S]{t}
		if err == nil {
			tasks = a.join(player, tasks)
			err = analyzeTasks(ctx, player, tasks)
		}
		for _, t := range tasks {
			t.err = err
			close(t.done)
		}
		if err != nil {
			return
		}
	}
}

// join adds to the tasks the worker's share of those that are waiting, as many as the player gains by.
func (a *analyzers[S]) join(player Answerer[S], tasks []*task[S]) []*task[S] {
	for share := min(largestGroup, player.Together(), (1+len(a.waiting)+a.workers-1)/a.workers); len(tasks) < share; {
		select {
		case t, ok := <-a.waiting:
			if !ok {
				return tasks
			}
			tasks = append(tasks, t)
		default:
			return tasks
		}
	}
	return tasks
}

// analyzeTasks sets the analysis of each task.
func analyzeTasks[S game.State[S]](ctx context.Context, player Answerer[S], tasks []*task[S]) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	positions, rngs := make([]S, len(tasks)), make([]*rand.Rand, len(tasks))
	for i, t := range tasks {
		positions[i], rngs[i] = t.request.Position, t.request.Rng
	}
	analyses := make([]*Analysis, len(tasks))
	if err := player.Analyze(ctx, positions, rngs, analyses); err != nil {
		return err
	}
	for i, t := range tasks {
		t.analysis = analyses[i]
	}
	return nil
}

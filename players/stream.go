package players

import (
	"context"
	"math/rand/v2"
	"sync"

	"tengen/game"
)

// Request asks AnalyzeAll for the analysis of a position.
type Request[S game.State[S]] struct {
	Position S                     // not over
	Rng      *rand.Rand            // used for this position only
	Answer   func(*Analysis) error // receives the answer; an error ends AnalyzeAll
	Skip     bool                  // no position: Answer receives nil in its turn
}

// largestGroup is the maximum number of positions per call to Analyze.
const largestGroup = 32

// AnalyzeAll answers questions until their channel is closed. request, which one goroutine calls in their order, says what
// each asks for. The given number of workers, at least 1, analyze the positions in groups that fill a network's batches.
// Each worker makes its own player when first needed.
//
// AnalyzeAll calls Answer from the calling goroutine, in the order of the questions. An answer never waits for later
// questions and does not depend on the groups.
//
// The first error in that order ends AnalyzeAll, and so does the end of ctx. It then receives no more questions, so
// senders must be able to give up.
func AnalyzeAll[S game.State[S], Q any](
	ctx context.Context, newPlayer func() (Answerer[S], error), workers int, questions <-chan Q, request func(Q) Request[S],
) error {
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
	running.Go(func() { accept(ctx, a, questions, request) })
	for range workers {
		running.Go(func() { a.work(ctx) })
	}
	for t := range a.unsettled {
		var err error
		select {
		case err = <-t.done:
		case <-ctx.Done():
			err = ctx.Err()
		}
		if err == nil {
			err = t.request.Answer(t.analysis)
		}
		if err != nil {
			return err
		}
	}
	return ctx.Err()
}

// analyzers is the state of AnalyzeAll. Workers take tasks in order, so AnalyzeAll is certain to reach the first error.
type analyzers[S game.State[S]] struct {
	newPlayer func() (Answerer[S], error)
	workers   int
	waiting   chan *task[S] // for workers
	unsettled chan *task[S] // for AnalyzeAll, all tasks in order
}

type task[S game.State[S]] struct {
	request  Request[S]
	analysis *Analysis  // valid after done
	done     chan error // the result, once
}

func accept[S game.State[S], Q any](ctx context.Context, a *analyzers[S], questions <-chan Q, request func(Q) Request[S]) {
	defer close(a.waiting)
	defer close(a.unsettled)
	for {
		select {
		case q, ok := <-questions:
			if !ok {
				return
			}
			t := &task[S]{request: request(q), done: make(chan error, 1)}
			queues := []chan<- *task[S]{a.unsettled, a.waiting}
			if t.request.Skip {
				t.done <- nil
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
			t.done <- err
		}
		if err != nil {
			return
		}
	}
}

// join adds the worker's share of the waiting tasks, as many as the player benefits from.
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

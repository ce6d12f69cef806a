package engine

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"

	"tengen/game"
	"tengen/internal/limits"
	"tengen/internal/random"
	"tengen/mcts"
	"tengen/players"
)

// AnalyzeConfig configures Game.Analyze.
type AnalyzeConfig struct {
	Workers int    // goroutines, 1 to 1024
	Seed    uint64 // of random choices
}

// Question asks for an analysis. A finished game is an error.
type Question struct {
	Position Position
	Err      error // why the position cannot be analyzed; its answer has a nil Analysis
}

// largestGroup is the maximum number of positions per call to a player.
const largestGroup = 32

// task is a question under way.
type task[S game.State[S]] struct {
	question Question
	state    S
	rng      *rand.Rand
	analysis *players.Analysis // valid after done
	done     chan error        // the result, once
}

// Analyze analyzes the positions in groups that fill a network's batches. An answer never waits
// for later questions and does not depend on the groups.
func (e Typed[S]) Analyze(
	ctx context.Context, c AnalyzeConfig, p Player, questions <-chan Question, answer func(Question, *players.Analysis) error,
) error {
	if err := limits.Int("workers", c.Workers, 1, 1024); err != nil {
		return InputError{err}
	}
	group, ctx := errgroup.WithContext(ctx)
	// Workers take tasks in order and report errors through them, so the first error in that order ends the work.
	waiting := make(chan *task[S], c.Workers*largestGroup)
	unanswered := make(chan *task[S], 2*c.Workers*largestGroup)
	group.Go(func() error {
		defer close(waiting)
		defer close(unanswered)
		return e.accept(ctx, c.Seed, questions, waiting, unanswered)
	})
	for range c.Workers {
		group.Go(func() error {
			work(ctx, p.(players.Player[S]), waiting, c.Workers)
			return nil
		})
	}
	group.Go(func() error {
		for t := range unanswered {
			select {
			case err := <-t.done:
				if err != nil {
					return err
				}
			case <-ctx.Done():
				return ctx.Err()
			}
			if err := answer(t.question, t.analysis); err != nil {
				return err
			}
		}
		return ctx.Err()
	})
	return group.Wait()
}

// accept sends each question's task to unanswered and, if a player must analyze it, to waiting.
func (e Typed[S]) accept(
	ctx context.Context, seed uint64, questions <-chan Question, waiting, unanswered chan<- *task[S],
) error {
	for number := uint64(1); ; number++ {
		var q Question
		var open bool
		select {
		case q, open = <-questions:
		case <-ctx.Done():
		}
		if !open {
			return ctx.Err()
		}
		if q.Err == nil && q.Position.Over {
			q.Err = InputErrorf("the game is over: %s", q.Position.Result())
		}
		t := &task[S]{question: q, done: make(chan error, 1)}
		queues := []chan<- *task[S]{unanswered, waiting}
		if q.Err != nil {
			t.done <- nil
			queues = queues[:1]
		} else {
			t.state, t.rng = e.state(q.Position), random.New(seed, random.Analyze, number)
		}
		for _, queue := range queues {
			select {
			case queue <- t:
			case <-ctx.Done():
				return ctx.Err()
			}
		}
	}
}

// work analyzes waiting tasks until there are no more or one fails. It makes its answerer when first needed.
func work[S game.State[S]](ctx context.Context, p players.Player[S], waiting <-chan *task[S], workers int) {
	var answerer players.Answerer[S]
	for t := range waiting {
		var err error
		if answerer == nil {
			answerer, err = p.New()
		}
		tasks := []*task[S]{t}
		if err == nil {
			share := min(largestGroup, answerer.Together(), (len(waiting)+workers)/workers)
			tasks = append(tasks, takeWaiting(waiting, share-1)...)
			err = analyzeTasks(ctx, answerer, tasks)
		}
		for _, t := range tasks {
			t.done <- err
		}
		if err != nil {
			return
		}
	}
}

// takeWaiting returns up to n elements that can be received at once.
func takeWaiting[T any](waiting <-chan T, n int) (taken []T) {
	for len(taken) < n {
		select {
		case t, open := <-waiting:
			if !open {
				return taken
			}
			taken = append(taken, t)
		default:
			return taken
		}
	}
	return taken
}

func analyzeTasks[S game.State[S]](ctx context.Context, by players.Answerer[S], tasks []*task[S]) error {
	states, rngs := make([]S, len(tasks)), make([]*rand.Rand, len(tasks))
	for i, t := range tasks {
		states[i], rngs[i] = t.state, t.rng
	}
	analyses := make([]*players.Analysis, len(tasks))
	if err := ctx.Err(); err != nil {
		return err
	}
	err := by.Analyze(ctx, states, rngs, analyses)
	for i, t := range tasks {
		t.analysis = analyses[i]
	}
	return err
}

// Ask returns the question about a position in text (see ParsePosition).
func Ask(e Game, text string) Question {
	p, err := ParsePosition(e, text)
	return Question{p, err}
}

// AnalysisJSON is an analysis in the game's notation, for the side to move.
type AnalysisJSON struct {
	Moves       string             `json:"moves"`   // to the position
	ToMove      string             `json:"to_move"` // "first" or "second"
	Best        string             `json:"best"`
	Value       float32            `json:"value"`
	Proven      *string            `json:"proven"` // "win", "loss", "draw" or null
	Visits      map[string]int     `json:"visits"`
	Values      map[string]float32 `json:"values"` // of the moves that were searched or are proven
	Prior       map[string]float32 `json:"prior"`
	Policy      map[string]float32 `json:"policy"`
	PV          []string           `json:"pv"`
	Simulations int                `json:"simulations"`
}

// NewAnalysisJSON converts an analysis.
func NewAnalysisJSON(p Position, a *players.Analysis) AnalysisJSON {
	j := AnalysisJSON{
		Moves: p.Notation(), ToMove: sideNames[p.ToMove], Best: p.Format(a.Best), Value: a.Value,
		Visits: map[string]int{}, Values: map[string]float32{}, Prior: map[string]float32{}, Policy: map[string]float32{}, PV: p.Names(a.PV), Simulations: a.Simulations,
	}
	if a.Proven != game.Unknown {
		proven := a.Proven.String()
		j.Proven = &proven
	}
	for _, m := range a.Moves {
		name := p.Format(m.Action)
		j.Visits[name], j.Prior[name], j.Policy[name] = m.Visits, m.Prior, a.Policy[m.Action]
		if m.Visits > 0 || m.Proven != game.Unknown {
			j.Values[name] = m.Q
		}
	}
	return j
}

// Ranked returns an analysis's moves, best first.
func Ranked(a *players.Analysis) []mcts.Stat {
	return slices.SortedStableFunc(slices.Values(a.Moves), func(x, y mcts.Stat) int {
		switch a.Best {
		case x.Action:
			return -1
		case y.Action:
			return 1
		}
		order := cmp.Or(cmp.Compare(a.Policy[y.Action], a.Policy[x.Action]), cmp.Compare(y.Visits, x.Visits))
		if order == 0 && x.Visits > 0 {
			order = cmp.Compare(y.Q, x.Q)
		}
		return cmp.Or(order, cmp.Compare(y.Prior, x.Prior))
	})
}

// AnalysisText formats an analysis as one line.
func AnalysisText(p Position, a *players.Analysis) string {
	value := fmt.Sprintf("value %+.3f", a.Value)
	if a.Proven != game.Unknown {
		value = "proven " + a.Proven.String()
	}
	return fmt.Sprintf("%s: %s, %s, %d simulations, pv %s",
		p.Name(), p.Format(a.Best), value, a.Simulations, strings.Join(p.Names(a.PV), " "))
}

package players

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"sync"
	"time"

	"tengen/game"
	"tengen/internal/random"
)

// ErrPanic is the error of a thought in which an evaluator or a solver has panicked; its text has the stack. The Thinker
// is to be thrown away then.
var ErrPanic = errors.New("players: panic")

// Report is what a thought has found so far, or its answer.
type Report struct {
	// Analysis is shared with other reports, and must not be changed. Its Simulations are those at the root, kept ones
	// included. When the game is over, Best is game.None, Value and Proven are the outcome, and the rest is empty.
	*Analysis
	Kept    int           // simulations that the thought began with
	Elapsed time.Duration // since the thought began
	Final   bool          // the answer, not a partial result
	// Detail is what Explain was asked for beyond the analysis; nil where there is no tree to look into.
	*Detail
}

// PerSecond is the number of simulations that the thought makes in a second.
func (r Report) PerSecond() float64 {
	if r.Elapsed <= 0 {
		return 0
	}
	return float64(r.Simulations-r.Kept) / r.Elapsed.Seconds()
}

// Thinker thinks about one position at a time. It is safe for concurrent use: a call that starts a thought or changes
// the position first ends the thought under way, whose Think then answers with the best so far. While it does not think,
// it has no goroutine, so there is nothing to close.
//
// To be stopped is no failure: the answer is then the best so far, and there is always a legal move in it. A thought that is
// limited by simulations, not by the clock, and is not stopped repeats itself with the same Options, whoever was faster and whoever
// read the reports.
type Thinker[S game.State[S]] struct {
	player   Player[S]
	interval time.Duration
	seed     uint64

	mu       sync.Mutex // held by whoever changes position and current, or starts a thought
	position S
	current  *thought // nil: none since the last was halted
	searcher Searcher[S]
}

// newThinker returns a thinker at the start of the game. The player belongs to it.
func newThinker[S game.State[S]](g game.Game[S], p Player[S], o Options) *Thinker[S] {
	t := &Thinker[S]{player: p, interval: o.Interval, seed: o.Seed, position: g.Start(), searcher: p.New()}
	t.begin()
	return t
}

// begin takes up the position.
func (t *Thinker[S]) begin() { t.searcher.Reset(t.position, random.New(t.seed, random.Playouts, 0)) }

// Position is the position thought about.
func (t *Thinker[S]) Position() S {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.position
}

// Reset goes to s and forgets everything, so that the next thought does not depend on those before.
func (t *Thinker[S]) Reset(s S) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.halt()
	t.position = s
	t.begin()
}

// Set goes to s. What is known stays where s is the present position or comes one or two moves after it, as in a game
// against somebody; otherwise Set is Reset.
func (t *Thinker[S]) Set(s S) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.halt()
	moves, ok := between(t.position, s)
	t.position = s
	if !ok {
		t.begin()
		return
	}
	for _, a := range moves {
		t.searcher.Advance(a)
	}
}

// Advance plays a and keeps what was found below it. It panics when a is illegal.
func (t *Thinker[S]) Advance(a game.Action) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.halt()
	t.position = t.position.Play(a)
	t.searcher.Advance(a)
}

// Think thinks until the limit is reached, the result is proven, Stop or another call ends the thought, or ctx ends:
// however soon that is, the answer has a legal move, unless the game is over. The error is that of an evaluator or a
// solver; the tree is then lost, and the Thinker can go on.
//
// report may be nil. It gets partial results, Options.Interval apart or more, and at last the answer, all from the
// goroutine that called Think; the thought does not wait for it. It panics when the limit is negative.
func (t *Thinker[S]) Think(ctx context.Context, limit Limit, report func(Report)) (Report, error) {
	return await(t.start(ctx, limit, wanted{reports: report != nil}), report)
}

// Explain is Think whose reports and answer have a Detail, where there is a tree to look into: the line of each move, and what is
// below a line of moves from the position on. The line is not to be changed before the answer.
func (t *Thinker[S]) Explain(ctx context.Context, limit Limit, line []game.Action, report func(Report)) (Report, error) {
	return await(t.start(ctx, limit, wanted{reports: report != nil, detail: true, line: line}), report)
}

// await passes on the reports of a thought until its answer.
func await(th *thought, report func(Report)) (Report, error) {
	for {
		select {
		case r := <-th.reports:
			report(r)
		case <-th.done:
			if report != nil && th.err == nil {
				report(th.answer)
			}
			return th.answer, th.err
		}
	}
}

// Ponder starts to think without limit, other than Options.MaxNodes, and returns at once. It ends as any thought does; what
// it has found serves the next, if only Advance or Set lie between. An error is left to the next Think to meet again.
func (t *Thinker[S]) Ponder() { t.start(context.Background(), Limit{}, wanted{}) }

// Stop ends the thought under way, if there is one, and waits until it has its answer. That takes no longer than a batch of
// evaluations, some dozens of playouts, or some thousand positions of alpha-beta or a solver.
func (t *Thinker[S]) Stop() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.halt()
}

// thought is the work of one goroutine: one call of Player.Search.
type thought struct {
	cancel  context.CancelFunc
	reports chan Report // holds the newest partial result, until it is taken
	done    chan struct{}
	answer  Report // after done
	err     error  // after done
}

// wanted is what a thought is to tell.
type wanted struct {
	reports bool          // partial results
	detail  bool          // with a Detail
	line    []game.Action // for the Detail
}

// start begins a thought, in place of the one under way.
func (t *Thinker[S]) start(ctx context.Context, limit Limit, w wanted) *thought {
	if limit.Simulations < 0 || limit.Time < 0 {
		panic(fmt.Sprintf("players: limit of %d simulations, %v", limit.Simulations, limit.Time))
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.halt()
	th := &thought{reports: make(chan Report, 1), done: make(chan struct{})}
	ctx, th.cancel = context.WithCancel(ctx)
	t.current = th
	go t.run(ctx, th, limit, w)
	return th
}

// halt ends the thought under way. The searcher and the position belong to its goroutine until then.
func (t *Thinker[S]) halt() {
	if t.current != nil {
		t.current.cancel()
		<-t.current.done
		t.current = nil
	}
}

// run is the goroutine of a thought.
func (t *Thinker[S]) run(ctx context.Context, th *thought, limit Limit, w wanted) {
	defer close(th.done)
	defer th.cancel()
	start := time.Now()
	if z, over := t.position.Outcome(); over {
		th.answer = Report{Analysis: finished(z), Final: true}
		return
	}
	kept, last := t.searcher.Size(), start
	progress := func(news bool) {
		if !w.reports || !news && time.Since(last) < t.interval {
			return
		}
		last = time.Now()
		th.offer(t.report(w, Report{Kept: kept, Elapsed: last.Sub(start)}))
	}
	th.err = guard(func() error {
		if err := t.player.Search(ctx, []Searcher[S]{t.searcher}, limit, progress); err != nil {
			return err
		}
		th.answer = t.report(w, Report{Kept: kept, Elapsed: time.Since(start), Final: true})
		return nil
	})
}

// guard turns a panic into an error: it would end the process from a goroutine of which the caller knows nothing.
func guard(do func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("%w: %v\n%s", ErrPanic, p, debug.Stack())
		}
	}()
	return do()
}

// report fills in what the searcher has found so far. All analyses of a position choose by the same numbers, so that the answer does
// not depend on how many reports there were.
func (t *Thinker[S]) report(w wanted, r Report) Report {
	r.Analysis = t.searcher.Analysis(random.New(t.seed, random.Choice, uint64(t.position.Ply())))
	if w.detail {
		r.Detail = t.searcher.Look(w.line)
	}
	return r
}

// finished is all that there is to say of a game that is over.
func finished(z float32) *Analysis {
	return &Analysis{Best: game.None, Value: z, Proven: game.ResultOf(z)}
}

// offer leaves a partial result for Think, in place of one that it has not taken yet.
func (th *thought) offer(r Report) {
	select {
	case <-th.reports:
	default:
	}
	th.reports <- r
}

// between returns the moves that lead from one position to another, where at most two do.
func between[S game.State[S]](from, to S) (moves []game.Action, ok bool) {
	switch to.Ply() - from.Ply() {
	case 0:
		return nil, same(from, to)
	case 1:
		a := to.Last()
		ok := slices.Contains(from.Legal(nil), a) && same(from.Play(a), to)
		return []game.Action{a}, ok
	case 2:
		for _, a := range from.Legal(nil) {
			if last, ok := between(from.Play(a), to); ok {
				return append([]game.Action{a}, last...), true
			}
		}
	}
	return nil, false
}

// same reports whether two positions are the same to whoever sees the last move.
func same[S game.State[S]](a, b S) bool {
	return a.Key() == b.Key() && a.Last() == b.Last() && a.Ply() == b.Ply()
}

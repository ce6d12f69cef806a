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
	"tengen/mcts"
)

// ErrPanic is the error of a thought in which an evaluator or a solver panicked. Discard the Thinker after it.
var ErrPanic = errors.New("players: panic")

// Report is a partial result of a thought, or its answer.
type Report struct {
	// Analysis is shared with other reports and must not be changed. Its Simulations includes kept ones. If the game is
	// over, Best is game.None, Value and Proven are the outcome, and the rest is empty.
	*Analysis
	Kept    int           // simulations in the tree at the start of the thought
	Elapsed time.Duration // since the start of the thought
	Final   bool          // the answer, not a partial result
	// Detail is set by Explain; nil without a tree.
	*Detail
}

// PerSecond returns the thought's simulations per second.
func (r Report) PerSecond() float64 {
	if r.Elapsed <= 0 {
		return 0
	}
	return float64(r.Simulations-r.Kept) / r.Elapsed.Seconds()
}

// Line returns the principal variation of a move, at least the move itself.
func (r Report) Line(a game.Action) []game.Action {
	if a == r.Best {
		return r.PV
	}
	if r.Detail != nil {
		if i := slices.IndexFunc(r.Moves, func(m mcts.Stat) bool { return m.Action == a }); i >= 0 {
			return r.Lines[i]
		}
	}
	return []game.Action{a}
}

// Thinker thinks about one position at a time. It is safe for concurrent use: a call that starts a thought or changes
// the position first ends the current thought, whose Think returns the best answer so far. An idle Thinker has no
// goroutine and need not be closed.
//
// A thought limited by simulations and not stopped is reproducible with the same Options.
type Thinker[S game.State[S]] struct {
	algorithm Algorithm[S]
	interval  time.Duration
	seed      uint64

	mu       sync.Mutex // guards position, current and the start of a thought
	line     Line[S]
	current  *thought // nil: none since the last halt
	searcher Searcher[S]
}

// newThinker returns a thinker at the start of the game. It takes ownership of the algorithm.
func newThinker[S game.State[S]](g game.Game[S], a Algorithm[S], o Options) *Thinker[S] {
	t := &Thinker[S]{algorithm: a, interval: o.Interval, seed: o.Seed, line: At(g.Start()), searcher: a.New()}
	t.begin()
	return t
}

func (t *Thinker[S]) begin() { t.searcher.Reset(t.line, random.New(t.seed, random.Playouts, 0)) }

// Reset sets the position to the line's end and forgets all findings.
func (t *Thinker[S]) Reset(l Line[S]) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.halt()
	t.line = l
	t.begin()
}

// Set sets the position to the line's end. It keeps its findings if that is at most two moves after the current
// position.
func (t *Thinker[S]) Set(l Line[S]) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.halt()
	moves, ok := between(t.line.Position, l.Position)
	t.line = l
	if !ok {
		t.begin()
		return
	}
	for _, a := range moves {
		t.searcher.Advance(a)
	}
}

// Think thinks until the limit is reached, the result is proven, Stop or another call ends the thought, or ctx ends.
// The answer has a legal move, unless the game is over. After an error the tree is lost, but the Thinker remains
// usable, except after ErrPanic.
//
// If report is not nil, Think calls it from the calling goroutine with partial results, at least Options.Interval
// apart, and finally with the answer.
func (t *Thinker[S]) Think(ctx context.Context, limit Limit, report func(Report)) (Report, error) {
	return await(t.start(ctx, limit, wanted{reports: report != nil}), report)
}

// Explain is like Think, but reports and answer have a Detail: the line of each move, and the position after the given
// line. Do not change line before Explain returns.
func (t *Thinker[S]) Explain(ctx context.Context, limit Limit, line []game.Action, report func(Report)) (Report, error) {
	return await(t.start(ctx, limit, wanted{reports: report != nil, detail: true, line: line}), report)
}

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

// Ponder starts to think up to Options.MaxNodes and returns at once. It drops errors; the next Think meets them again.
// External engines do not ponder.
func (t *Thinker[S]) Ponder() {
	if _, of := t.searcher.(*programSearcher[S]); !of {
		t.start(context.Background(), Limit{}, wanted{})
	}
}

// Close ends the process of an external engine. The Thinker starts one again if it is asked again.
func (t *Thinker[S]) Close() {
	t.Stop()
	if p, of := t.searcher.(*programSearcher[S]); of {
		p.program.Discard()
	}
}

// Stop ends the current thought, if any, and waits for its answer: at most a batch of evaluations, dozens of
// playouts, or thousands of positions of alpha-beta or a solver.
func (t *Thinker[S]) Stop() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.halt()
}

// thought is one call to Algorithm.Search, in a goroutine.
type thought struct {
	cancel  context.CancelFunc
	reports chan Report // the newest partial result, until received
	done    chan struct{}
	answer  Report // valid after done
	err     error  // valid after done
}

type wanted struct {
	reports bool          // partial results
	detail  bool          // include a Detail
	line    []game.Action // for Detail
}

func (t *Thinker[S]) start(ctx context.Context, limit Limit, w wanted) *thought {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.halt()
	th := &thought{reports: make(chan Report, 1), done: make(chan struct{})}
	ctx, th.cancel = context.WithCancel(ctx)
	t.current = th
	go t.run(ctx, th, limit, w)
	return th
}

// halt ends the current thought. Until then its goroutine owns the searcher and the position.
func (t *Thinker[S]) halt() {
	if t.current != nil {
		t.current.cancel()
		<-t.current.done
		t.current = nil
	}
}

func (t *Thinker[S]) run(ctx context.Context, th *thought, limit Limit, w wanted) {
	defer close(th.done)
	defer th.cancel()
	start := time.Now()
	if z, over := t.line.Position.Outcome(); over {
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
		if err := t.algorithm.Search(ctx, []Searcher[S]{t.searcher}, limit, progress); err != nil {
			return err
		}
		th.answer = t.report(w, Report{Kept: kept, Elapsed: time.Since(start), Final: true})
		return nil
	})
}

func guard(do func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("%w: %v\n%s", ErrPanic, p, debug.Stack())
		}
	}()
	return do()
}

// report adds the current findings. All reports break ties with the same random numbers, so the answer does not depend
// on their number.
func (t *Thinker[S]) report(w wanted, r Report) Report {
	r.Analysis = t.searcher.Analysis(random.New(t.seed, random.Choice, uint64(t.line.Position.Ply())))
	if w.detail {
		r.Detail = t.searcher.Look(w.line)
	}
	return r
}

func finished(z float32) *Analysis {
	return &Analysis{Best: game.None, Value: z + 0, Proven: game.ResultOf(z)} // z + 0 is never -0
}

// offer passes a partial result to await, replacing one not yet received.
func (th *thought) offer(r Report) {
	select {
	case <-th.reports:
	default:
	}
	th.reports <- r
}

// between returns the moves, at most two, from one position to another.
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

func same[S game.State[S]](a, b S) bool {
	return a.Key() == b.Key() && a.Last() == b.Last() && a.Ply() == b.Ply()
}

package train

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"path/filepath"
	"sync"
	"time"

	"tengen/net"
	"tengen/replay"
	"tengen/train/checkpoint"
)

// Setup is what a run is made of.
type Setup struct {
	Config Config
	Game   string // full name
	Seed   uint64
	// Search are the settings of the search that plays the games, a JSON object that every model is published with.
	Search json.RawMessage
	// Weights are the initial weights. Where the directory holds a run already, only their architecture counts.
	Weights *net.Weights
	Dir     *checkpoint.Dir
	// Window is empty, and filled with games of the past where the directory holds a run already.
	Window Window
	Games  GameSource
	// Ahead is selfplay.Config.Ahead, 0 or 1.
	Ahead   int
	Judge   Judge            // may be nil when the configuration asks for no evaluation and no gate
	Observe func(Event)      // may be nil; its calls do not overlap, and should return soon
	Warn    func(error)      // may be nil; told of damage that the run can do without
	Clock   func() time.Time // tells the time of day at the end of an iteration; nil: time.Now
}

// Phase is what a loop is doing.
type Phase string

const (
	PhaseSelfPlay Phase = "selfplay"
	PhaseTrain    Phase = "train"
	PhaseGate     Phase = "gate"
	PhaseEvaluate Phase = "evaluate"
	PhasePublish  Phase = "publish"
	PhaseDone     Phase = "done" // the iteration is committed; Event.Metrics is about it
)

// Phases are all of them, in their order in an iteration.
var Phases = []Phase{PhaseSelfPlay, PhaseTrain, PhaseGate, PhaseEvaluate, PhasePublish, PhaseDone}

// Event tells an observer how far the loop has come.
type Event struct {
	Iteration, Iterations int // under way, from 1, of how many
	Phase                 Phase
	Done, Total           int                 // games in PhaseSelfPlay, steps in PhaseTrain, else 0
	Metrics               *checkpoint.Metrics // of the last committed iteration of this process, nil before; not to be changed
}

// Loop is a training run. It is not safe for concurrent use. New makes one.
type Loop struct {
	cfg      Config
	game     string
	seed     uint64
	search   json.RawMessage // see Setup
	dir      *checkpoint.Dir
	window   Window
	games    GameSource
	strength Judge // nil where the configuration needs none
	observe  func(Event)
	warn     func(error)
	clock    func() time.Time

	state     checkpoint.Checkpoint // the newest, without its tensors
	learner   *Learner
	published *net.Weights // the newest published model; never changed, only replaced
	ahead     int
	before    *net.Weights // if ahead, the model published one iteration before, which plays the next games; likewise
	upcoming  *generation  // that plays while the loop learns, or nil
	// Invariant: the numbers of the oldest games in the windows of the newest checkpoint and of the one before.
	needed, neededBefore uint64

	measured    time.Time     // see measure
	measuredCPU time.Duration // likewise

	observing sync.Mutex
	last      Event // that was reported
}

// Run trains until the iterations of the configuration are done. When it is cancelled or something fails it returns the
// error; the directory then stays at the last committed iteration, from which a new Loop goes on.
func (l *Loop) Run(ctx context.Context) error {
	l.measured, l.measuredCPU = time.Now(), cpuTime()
	defer l.abandon()
	for l.state.Iteration < l.cfg.Iterations {
		iteration := l.state.Iteration + 1
		if err := l.iterate(ctx, iteration); err != nil {
			return fmt.Errorf("iteration %d: %w", iteration, err)
		}
	}
	return nil
}

// iterate is one cycle: generate games, add them to the window, learn, judge the outcome, commit.
func (l *Loop) iterate(ctx context.Context, iteration int) error {
	m := &checkpoint.Metrics{Iteration: iteration}
	batch, err := l.generate(ctx, m)
	if err != nil {
		return err
	}
	if err := l.learn(ctx, m, batch.Games); err != nil {
		return err
	}
	if err := l.judge(ctx, m); err != nil {
		return err
	}
	l.measure(m)
	return l.commit(ctx, m, batch)
}

// learn puts games into the window and takes the steps that their positions are worth, if the window holds a batch yet.
func (l *Loop) learn(ctx context.Context, m *checkpoint.Metrics, games []*replay.Record) error {
	defer stopwatch(&m.Seconds.Train)()
	if err := l.window.Add(games...); err != nil {
		return err
	}
	fresh := 0
	for _, g := range games {
		fresh += g.Positions()
	}
	if l.window.Len() < l.cfg.BatchSize || fresh == 0 {
		return nil
	}
	steps := int(math.Ceil(l.cfg.Passes * float64(fresh) / float64(l.cfg.BatchSize)))
	m.Learning = new(checkpoint.Learning)
	for i := range steps {
		l.report(m, PhaseTrain, i, steps)
		if err := ctx.Err(); err != nil {
			return err
		}
		result, err := l.learner.Step(l.window, m.Iteration)
		if err != nil {
			return fmt.Errorf("%w (the last good model, %s, is kept)", err, filepath.Join(l.dir.Path(), checkpoint.ModelName(l.state.Published.Iteration)))
		}
		addStep(m.Learning, result, steps)
	}
	l.report(m, PhaseTrain, steps, steps)
	return nil
}

// judge publishes what was learned, unless the gate keeps it back, and evaluates the published model if it is time to.
func (l *Loop) judge(ctx context.Context, m *checkpoint.Metrics) error {
	defer stopwatch(&m.Seconds.Evaluate)()
	accepted := m.Learning != nil
	if accepted && l.cfg.Gate.Games > 0 {
		l.report(m, PhaseGate, 0, 0)
		tally, err := l.strength.Gate(ctx, m.Iteration, l.cfg.Gate.Games, l.learner.Published(), l.published)
		if err != nil {
			return fmt.Errorf("gate: %w", err)
		}
		accepted = tally.Score() >= l.cfg.Gate.Score
		m.Gate = &checkpoint.GateResult{Tally: tally, Accepted: accepted}
	}
	m.Model = l.state.Published.Iteration
	if l.ahead > 0 {
		l.before = l.published
	}
	if accepted {
		l.published, m.Model = l.learner.Published().Clone(), m.Iteration
	}
	if every := l.cfg.EvaluateEvery; every > 0 && (m.Iteration%every == 0 || m.Iteration == l.cfg.Iterations) {
		l.report(m, PhaseEvaluate, 0, 0)
		e, err := l.strength.Evaluate(ctx, m.Iteration, m.Model, l.published)
		if err != nil {
			return fmt.Errorf("evaluation: %w", err)
		}
		m.Evaluation, m.Grade, m.Exam, m.Rating = e.Matches, e.Grade, e.Exam, e.Rating
	}
	return nil
}

// commit makes the iteration part of the run for good, and its model public if there is a new one. The games of the windows of this
// checkpoint and of the one before are retained.
func (l *Loop) commit(ctx context.Context, m *checkpoint.Metrics, batch Batch) error {
	l.report(m, PhasePublish, 0, 0)
	m.Step = l.learner.Steps()
	m.Positions, m.Window = l.window.Positions(), l.window.Len()
	m.Time = l.clock().UTC().Truncate(time.Millisecond)
	next := l.state
	next.Iteration, next.Step, next.Games, next.Positions = m.Iteration, m.Step, m.Games, m.Positions
	next.Cursor, next.Window = batch.Cursor, l.window.Games()
	next.Before = l.state.Published.Iteration
	if m.Model == m.Iteration {
		next.Published = checkpoint.Published{Iteration: m.Iteration, Step: m.Step, Figures: figures(m), Search: l.search}
	}
	if err := l.checkpoint(next, m); err != nil {
		return err
	}
	if err := l.games.Retain(ctx, min(l.needed, l.neededBefore), batch.Cursor); err != nil {
		return fmt.Errorf("cannot drop old games: %w", err)
	}
	l.report(m, PhaseDone, 0, 0)
	return nil
}

// report tells the observer where the loop is. Self-play calls it from several goroutines, in any order: what is behind
// what was reported before is left out.
func (l *Loop) report(m *checkpoint.Metrics, phase Phase, done, total int) {
	l.observing.Lock()
	defer l.observing.Unlock()
	e := Event{Iteration: m.Iteration, Iterations: l.cfg.Iterations, Phase: phase, Done: done, Total: total, Metrics: l.last.Metrics}
	if phase == PhaseDone {
		e.Metrics = m
	}
	if e.Iteration == l.last.Iteration && e.Phase == l.last.Phase && e.Done < l.last.Done {
		return
	}
	l.last = e
	l.observe(e)
}

// measure notes the time since Run began, or since the iteration before was measured.
func (l *Loop) measure(m *checkpoint.Metrics) {
	now, cpu := time.Now(), cpuTime()
	m.Seconds.Total, m.CPUSeconds = now.Sub(l.measured).Seconds(), (cpu - l.measuredCPU).Seconds()
	l.measured, l.measuredCPU = now, cpu
}

// stopwatch starts to measure time and returns a function that stops.
func stopwatch(seconds *float64) func() {
	start := time.Now()
	return func() { *seconds = time.Since(start).Seconds() }
}

package train

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"sync"
	"time"

	"tengen/internal/parallel"
	"tengen/net"
	"tengen/replay"
	"tengen/selfplay"
	"tengen/train/checkpoint"
)

// Setup holds the arguments of New.
type Setup struct {
	Config Config // valid
	Game   string // full name
	Seed   uint64
	// Settings and Semantics are kept in every checkpoint, see checkpoint.Checkpoint.
	Settings  map[string]string
	Semantics int
	// Search holds the search settings of self-play as JSON. Every model file contains them.
	Search json.RawMessage
	// Weights are the initial weights. For a run that has begun, only their architecture matters.
	Weights *net.Weights
	Dir     *checkpoint.Dir
	// Window must be empty; New restores its games.
	Window Window
	Log    Log
	Player selfplay.Player
	// Banned returns the workers that were banned for forged games since the last call. None of their games may be
	// used. nil: there are no workers.
	Banned func() []string
	// KeepGames is the minimum number of newest games that stay in the log; 0 keeps all.
	KeepGames int
	// Ahead is selfplay.Config.Ahead, 0 or 1.
	Ahead   int
	Arena   Arena
	Observe func(Event) // calls do not overlap and should return quickly
	Warn    func(error) // called for damage that does not stop the run, also concurrently
}

// Phase is a part of an iteration.
type Phase string

const (
	PhaseSelfPlay Phase = "selfplay"
	PhaseTrain    Phase = "train"
	PhaseEvaluate Phase = "evaluate"
	PhasePublish  Phase = "publish"
	PhaseDone     Phase = "done" // the iteration is committed, Event.Metrics describes it
)

// Phases lists the phases in their order within an iteration.
var Phases = []Phase{PhaseSelfPlay, PhaseTrain, PhaseEvaluate, PhasePublish, PhaseDone}

// Event reports the loop's progress to an observer.
type Event struct {
	Iteration, Iterations int // the current one, from 1, and their number
	Phase                 Phase
	Done, Total           int                 // games, steps, or games and positions of an evaluation; else 0
	Metrics               *checkpoint.Metrics // of this process's last committed iteration, nil before; read-only
}

// Loop is a training run. It is not safe for concurrent use.
type Loop struct {
	setup Setup

	games     *gameSource
	state     checkpoint.Checkpoint // the newest, without its tensors
	learner   *Learner
	published *net.Weights // the newest published model; replaced, never modified
	before    *net.Weights // with Setup.Ahead, the newest model at the previous checkpoint; never modified
	current   *generation  // of the iteration's games
	upcoming  *generation  // plays while the loop learns, or nil
	// Number of the oldest game in the window of the newest checkpoint, and of the previous one.
	needed, neededBefore uint64

	lastMeasured time.Time     // when measure was last called, at first the start of Run
	lastCPU      time.Duration // the process's CPU time then

	observing sync.Mutex
	last      Event // the newest one observed
}

// Accelerate lets a device compute the steps, see net.Trainer. Call it before Run.
func (l *Loop) Accelerate(d *net.Device) { l.learner.Accelerate(d) }

// Run trains until the configured iterations are done. After an error or cancellation, a new Loop continues from the
// last committed iteration.
func (l *Loop) Run(ctx context.Context) error {
	l.lastMeasured, l.lastCPU = time.Now(), parallel.CPUTime()
	defer l.abandon()
	for l.state.Iteration < l.setup.Config.Iterations {
		iteration := l.state.Iteration + 1
		if err := l.iterate(ctx, iteration); err != nil {
			return fmt.Errorf("iteration %d: %w", iteration, err)
		}
	}
	return nil
}

// iterate runs one cycle, as the package comment describes it.
func (l *Loop) iterate(ctx context.Context, iteration int) error {
	m := &checkpoint.Metrics{Iteration: iteration}
	played, err := l.generate(ctx, m)
	if err != nil {
		return err
	}
	if err := l.learn(ctx, m, played.games); err != nil {
		return err
	}
	l.adopt(m)
	if err := l.evaluate(ctx, m); err != nil {
		return err
	}
	l.measure(m)
	return l.commit(ctx, m)
}

// learn adds games to the window and takes the steps due for their positions, none while the window is smaller than a
// batch.
func (l *Loop) learn(ctx context.Context, m *checkpoint.Metrics, games []*replay.Record) error {
	defer stopwatch(&m.Seconds.Train)()
	before := parallel.CPUTime()
	defer func() { m.CoreSeconds.Train = (parallel.CPUTime() - before).Seconds() }()
	if err := l.setup.Window.Add(games...); err != nil {
		return err
	}
	fresh := 0
	for _, g := range games {
		fresh += g.Positions()
	}
	if l.setup.Window.Len() < l.setup.Config.BatchSize || fresh == 0 {
		return nil
	}
	steps := l.setup.Config.Steps(fresh)
	unseen, err := l.learner.unseenLosses(l.setup.Window, len(games))
	if err != nil {
		return l.diverged(err)
	}
	m.Learning = &checkpoint.Learning{Unseen: unseen}
	goBack := l.learner.keep()
	if err = l.takeSteps(ctx, m, steps); errors.Is(err, net.ErrDeviceLost) {
		goBack()
		m.Learning = &checkpoint.Learning{Unseen: unseen}
		err = l.takeSteps(ctx, m, steps)
	}
	return err
}

func (l *Loop) takeSteps(ctx context.Context, m *checkpoint.Metrics, steps int) error {
	for i := range steps {
		l.report(m, PhaseTrain, i, steps)
		if err := ctx.Err(); err != nil {
			return err
		}
		result, err := l.learner.Step(l.setup.Window, m.Iteration, i+1 == steps)
		if err != nil {
			return l.diverged(err)
		}
		addStep(m.Learning, result, steps)
	}
	l.report(m, PhaseTrain, steps, steps)
	return nil
}

func (l *Loop) diverged(err error) error {
	return fmt.Errorf("%w (the last good model, %s, is kept)", err, filepath.Join(l.setup.Dir.Path(), checkpoint.ModelName(l.state.Published.Iteration)))
}

// adopt makes the learned weights, if any, the newest model. commit writes its file.
func (l *Loop) adopt(m *checkpoint.Metrics) {
	m.Model = l.state.Published.Iteration
	if l.setup.Ahead > 0 {
		l.before = l.published
	}
	if m.Learning != nil {
		l.published, m.Model = l.learner.Published().Clone(), m.Iteration
	}
}

// evaluate evaluates the newest model if it is time.
func (l *Loop) evaluate(ctx context.Context, m *checkpoint.Metrics) error {
	defer stopwatch(&m.Seconds.Evaluate)()
	if !l.setup.Config.Evaluates(m.Iteration) {
		return nil
	}
	l.report(m, PhaseEvaluate, 0, 0)
	e, err := l.setup.Arena.Evaluate(ctx, m.Iteration, l.published, func(done, total int) { l.report(m, PhaseEvaluate, done, total) })
	if err != nil {
		return fmt.Errorf("evaluation: %w", err)
	}
	m.Evaluation, m.Grade, m.Exam = e.Matches, e.Grade, e.Exam
	return nil
}

// commit writes the iteration's checkpoint. Games outside its window and the previous one may then be dropped.
func (l *Loop) commit(ctx context.Context, m *checkpoint.Metrics) error {
	l.report(m, PhasePublish, 0, 0)
	m.Step = l.learner.step
	m.Positions, m.Window = l.setup.Window.Positions(), l.setup.Window.Len()
	m.Time = time.Now().UTC().Truncate(time.Millisecond)
	next := l.state
	next.Iteration, next.Step, next.Games, next.Positions = m.Iteration, m.Step, m.Games, m.Positions
	next.Window, next.Oldest = l.setup.Window.Games(), l.setup.Window.Oldest()
	next.Before = l.state.Published.ModelFile
	if m.Model == m.Iteration {
		next.Published = checkpoint.Published{
			ModelFile: checkpoint.ModelFile{Iteration: m.Iteration}, Step: m.Step, Figures: figures(m), Search: l.setup.Search,
		}
	}
	if err := l.checkpoint(next, m); err != nil {
		return err
	}
	if err := l.games.retain(ctx, min(l.needed, l.neededBefore), l.state.Games); err != nil {
		return fmt.Errorf("cannot drop old games: %w", err)
	}
	l.report(m, PhaseDone, 0, 0)
	return nil
}

// report passes progress to the observer. Goroutines may call it in any order, so it drops outdated progress.
func (l *Loop) report(m *checkpoint.Metrics, phase Phase, done, total int) {
	l.observing.Lock()
	defer l.observing.Unlock()
	e := Event{Iteration: m.Iteration, Iterations: l.setup.Config.Iterations, Phase: phase, Done: done, Total: total, Metrics: l.last.Metrics}
	if phase == PhaseDone {
		e.Metrics = m
	}
	if e.Iteration == l.last.Iteration && e.Phase == l.last.Phase && e.Done < l.last.Done {
		return
	}
	l.last = e
	l.setup.Observe(e)
}

// measure records the time since Run began or since its previous call.
func (l *Loop) measure(m *checkpoint.Metrics) {
	now, cpu := time.Now(), parallel.CPUTime()
	total := now.Sub(l.lastMeasured)
	rest := total - l.current.within(l.lastMeasured, now) - l.upcoming.within(l.lastMeasured, now)
	m.Seconds.Total, m.Seconds.Rest, m.CPUSeconds = total.Seconds(), rest.Seconds(), (cpu - l.lastCPU).Seconds()
	if cpu > 0 {
		m.CoreSeconds.Idle = max(0, float64(float64(runtime.GOMAXPROCS(0))*m.Seconds.Total)-m.CPUSeconds)
	}
	l.lastMeasured, l.lastCPU = now, cpu
}

// stopwatch starts a timer and returns a function that stores the elapsed seconds.
func stopwatch(seconds *float64) func() {
	start := time.Now()
	return func() { *seconds = time.Since(start).Seconds() }
}

package train

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"sync"
	"time"

	"tengen/net"
	"tengen/replay"
)

// Setup is what a run is made of.
type Setup struct {
	Config Config
	Game   string // full name
	Seed   uint64
	// Search are the settings of the search that plays the games, a JSON object that every model is published with; empty if unknown.
	Search json.RawMessage
	// Weights are the initial weights. Where the directory holds a run already, only their architecture counts.
	Weights *net.Weights
	Dir     *Dir
	// Window is empty, and filled with games of the past where the directory holds a run already.
	Window  Window
	Games   Games
	Judge   Judge       // may be nil when the configuration asks for no evaluation and no gate
	Observe func(Event) // may be nil; its calls do not overlap, and should return soon
	Warn    func(error) // may be nil; told of damage that the run can do without
}

// Loop is a training run. It is not safe for concurrent use. New makes one.
type Loop struct {
	Setup
	state     state
	learner   *Learner
	published *net.Weights // the newest published model; never changed, only replaced
	oldest    uint64       // the position of the run with which the window began at the newest checkpoint

	observing sync.Mutex
	last      Event // that was reported
}

// Run trains until the iterations of the configuration are done. When it is cancelled or something fails it returns the
// error; the directory then stays at the last committed iteration, from which a new Loop goes on.
func (l *Loop) Run(ctx context.Context) error {
	for l.state.Iteration < l.Config.Iterations {
		iteration := l.state.Iteration + 1
		if err := l.iterate(ctx, iteration); err != nil {
			return fmt.Errorf("iteration %d: %w", iteration, err)
		}
	}
	return nil
}

// iterate is one cycle: generate games, add them to the window, learn, judge the outcome, commit.
func (l *Loop) iterate(ctx context.Context, iteration int) error {
	m := &Metrics{Iteration: iteration}
	harvest, err := l.generate(ctx, m)
	if err != nil {
		return err
	}
	fresh, err := l.add(harvest.Games)
	if err != nil {
		return err
	}
	if err := l.learn(ctx, m, fresh); err != nil {
		return err
	}
	if err := l.judge(ctx, m); err != nil {
		return err
	}
	return l.commit(ctx, m, harvest.Mark)
}

// generate gets games of the published model.
func (l *Loop) generate(ctx context.Context, m *Metrics) (Harvest, error) {
	defer stopwatch(&m.Seconds.SelfPlay)()
	n := l.Config.GamesPerIteration
	l.report(m, PhaseSelfPlay, 0, n)
	h, err := l.Games.Next(ctx, Order{
		Model: uint64(l.state.Published.Iteration), Weights: l.published, After: l.state.Mark, Games: n,
		Progress: func(done int) { l.report(m, PhaseSelfPlay, done, n) },
	})
	if err != nil {
		return h, fmt.Errorf("self-play: %w", err)
	}
	if len(h.Games) != n {
		return h, fmt.Errorf("self-play delivered %d games, %d were asked for", len(h.Games), n)
	}
	m.Games = l.state.Games + uint64(n)
	m.Work, m.Play = newWork(h.Stats), newPlay(h.Games)
	return h, nil
}

// add puts games into the window. It returns the number of their positions.
func (l *Loop) add(games []*replay.Record) (fresh int, err error) {
	for _, g := range games {
		if err := l.Window.Add(g); err != nil {
			return 0, err
		}
		fresh += g.Positions()
	}
	return fresh, nil
}

// learn takes the steps that the fresh positions are worth, if the window holds a batch yet.
func (l *Loop) learn(ctx context.Context, m *Metrics, fresh int) error {
	defer stopwatch(&m.Seconds.Train)()
	if l.Window.Len() < l.Config.BatchSize || fresh == 0 {
		return nil
	}
	steps := int(math.Ceil(l.Config.Passes * float64(fresh) / float64(l.Config.BatchSize)))
	m.Learning = new(Learning)
	for i := range steps {
		l.report(m, PhaseTrain, i, steps)
		if err := ctx.Err(); err != nil {
			return err
		}
		result, err := l.learner.Step(l.Window, m.Iteration)
		if err != nil {
			return fmt.Errorf("%w (the last good model, %s, is kept)", err, l.Dir.file(fmt.Sprintf(modelPattern, l.state.Published.Iteration)))
		}
		m.Learning.add(result, steps)
	}
	l.report(m, PhaseTrain, steps, steps)
	return nil
}

// judge publishes what was learned, unless the gate keeps it back, and evaluates the published model if it is time to.
func (l *Loop) judge(ctx context.Context, m *Metrics) error {
	defer stopwatch(&m.Seconds.Evaluate)()
	accepted := m.Learning != nil
	if accepted && l.Config.Gate.Games > 0 {
		l.report(m, PhaseGate, 0, 0)
		score, err := l.Judge.Gate(ctx, m.Iteration, l.Config.Gate.Games, l.learner.Weights(), l.published)
		if err != nil {
			return fmt.Errorf("gate: %w", err)
		}
		accepted = score.Score >= l.Config.Gate.Score
		m.Gate = &GateResult{Score: score, Accepted: accepted}
	}
	m.Model = l.state.Published.Iteration
	if accepted {
		l.published, m.Model = l.learner.Weights().Clone(), m.Iteration
	}
	if every := l.Config.EvaluateEvery; every > 0 && (m.Iteration%every == 0 || m.Iteration == l.Config.Iterations) {
		l.report(m, PhaseEvaluate, 0, 0)
		e, err := l.Judge.Evaluate(ctx, m.Iteration, m.Model, l.published)
		if err != nil {
			return fmt.Errorf("evaluation: %w", err)
		}
		m.Evaluation, m.Grade, m.Rating = e.Matches, e.Grade, e.Rating
	}
	return nil
}

// commit makes the iteration part of the run for good, and its model public if there is a new one. Games go that neither
// the window of this checkpoint nor that of the one before needs.
func (l *Loop) commit(ctx context.Context, m *Metrics, mark uint64) error {
	l.report(m, PhasePublish, 0, 0)
	m.Step = l.learner.Steps()
	m.Positions, m.Window = l.Window.Positions(), l.Window.Len()
	next := l.state
	next.Iteration, next.Step, next.Games, next.Positions = m.Iteration, m.Step, m.Games, m.Positions
	next.Mark, next.Window = mark, l.Window.Games()
	if m.Model == m.Iteration {
		next.Published = publishedInfo{m.Iteration, m.Step, m.figures(), l.Search}
	}
	needed := m.Positions - l.oldest
	if err := l.checkpoint(next, m); err != nil {
		return err
	}
	if err := l.Games.Retain(ctx, int(needed)); err != nil {
		return fmt.Errorf("cannot let go of old games: %w", err)
	}
	l.report(m, PhaseDone, 0, 0)
	return nil
}

// stopwatch starts to measure time and returns a function that stops.
func stopwatch(seconds *float64) func() {
	start := time.Now()
	return func() { *seconds = time.Since(start).Seconds() }
}

package train

import (
	"errors"
	"fmt"
	"os"

	"tengen/net"
)

// New returns the loop that goes on where the directory stopped, or begins a run there by publishing the initial weights.
// It refuses a directory that is damaged or belongs to another game, seed, optimizer or network.
func New(setup Setup) (*Loop, error) {
	cfg := setup.Config
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	if setup.Judge == nil && (cfg.EvaluateEvery > 0 || cfg.Gate.Games > 0) {
		return nil, errors.New("train.evaluate_every or train.gate.games asks for matches, but there is nobody to play them")
	}
	committed, err := setup.Dir.readState()
	if err != nil {
		return nil, err
	}
	l := &Loop{Setup: setup, learner: NewLearner(cfg, setup.Weights, setup.Seed)}
	if committed == nil {
		err = l.start()
	} else {
		err = l.resume(*committed)
	}
	if err != nil {
		l.Close()
		return nil, err
	}
	return l, nil
}

// Close ends the use of the loop. The directory stays open.
func (l *Loop) Close() { l.learner.Close() }

// Iteration is the number of iterations committed so far.
func (l *Loop) Iteration() int { return l.state.Iteration }

// start begins a run.
func (l *Loop) start() error {
	if err := l.Dir.newMetrics(); err != nil {
		return err
	}
	l.published = l.Setup.Weights.Clone()
	return l.checkpoint(state{Format: stateFormat, Game: l.Game, Seed: l.Seed}, nil)
}

// resume takes up the run at a committed state.
func (l *Loop) resume(s state) error {
	if s.Game != l.Game || s.Seed != l.Seed {
		return fmt.Errorf("the run in %s is of %s with seed %d, it cannot go on with %s and seed %d: choose another directory",
			l.Dir.Path(), s.Game, s.Seed, l.Game, l.Seed)
	}
	model, err := net.LoadModel(l.Dir.file(fmt.Sprintf(modelPattern, s.Model)))
	if err != nil {
		return err
	}
	if !model.Weights.SameArchitecture(l.Weights) {
		return fmt.Errorf("the run in %s has a network of %+v, it cannot go on with %+v: choose another directory",
			l.Dir.Path(), model.Weights.Config, l.Weights.Config)
	}
	if err := l.learner.restore(l.Dir.file(fmt.Sprintf(learnerPattern, s.Iteration))); err != nil {
		return err
	}
	window, err := os.Open(l.Dir.file(fmt.Sprintf(windowPattern, s.Iteration)))
	if err != nil {
		return err
	}
	defer window.Close()
	if err := l.Window.ReadSnapshot(window); err != nil {
		return err
	}
	l.state, l.published = s, model.Weights
	return l.Dir.tidy(s, l.Config.Keep)
}

// checkpoint commits the state that the loop has come to, and with it the metrics of the iteration that led there, nil at
// the start of a run.
func (l *Loop) checkpoint(next state, m *Metrics) error {
	c := checkpoint{state: next, learner: l.learner, window: l.Window, metrics: m}
	if next.Model == next.Iteration {
		c.model = &net.Model{
			Game:      l.Game,
			Iteration: next.Iteration,
			Step:      int(next.Step),
			Figures:   m.figures(),
			Weights:   l.published,
		}
	}
	committed, err := l.Dir.commit(c, l.Config.Keep)
	if err != nil {
		return err
	}
	l.state = committed
	return nil
}

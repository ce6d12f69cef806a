package train

import (
	"context"
	"errors"
	"fmt"

	"tengen/net"
)

// New returns the loop that goes on where the directory stopped, or begins a run there by publishing the initial weights.
// It refuses a directory that belongs to another game, seed, optimizer or network, and games that are not those of the
// directory.
func New(ctx context.Context, setup Setup) (*Loop, error) {
	cfg := setup.Config
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	if setup.Judge == nil && (cfg.EvaluateEvery > 0 || cfg.Gate.Games > 0) {
		return nil, errors.New("train.evaluate_every or train.gate.games asks for matches, but there is nobody to play them")
	}
	l := &Loop{Setup: setup, learner: NewLearner(cfg, setup.Weights, setup.Seed), published: setup.Weights.Clone()}
	for _, damage := range l.Dir.damage {
		l.warn(fmt.Errorf("%w; the run goes on from the checkpoint of iteration %d", damage, l.Dir.newest.Iteration))
	}
	var err error
	if l.Dir.newest == nil {
		err = l.checkpoint(state{
			Format: stateFormat, Config: string(l.Dir.config), Game: l.Game, Seed: l.Seed, Optimizer: cfg.Optimizer,
			Published: publishedInfo{Search: l.Search},
		}, nil)
	} else {
		err = l.resume(ctx, l.Dir.newest)
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

// resume takes up the run at a checkpoint.
func (l *Loop) resume(ctx context.Context, s *saved) error {
	if s.Game != l.Game || s.Seed != l.Seed {
		return fmt.Errorf("the run in %s is of %s with seed %d, it cannot go on with %s and seed %d: choose another directory",
			l.Dir.Path(), s.Game, s.Seed, l.Game, l.Seed)
	}
	if s.Optimizer != l.Config.Optimizer {
		return fmt.Errorf("the run in %s has train.optimizer %q, it cannot go on with %q: choose another directory",
			l.Dir.Path(), s.Optimizer, l.Config.Optimizer)
	}
	if err := l.restore(s); err != nil {
		return fmt.Errorf("the run in %s cannot go on with a network of %+v: %w: choose another directory", l.Dir.Path(), l.Weights.Config, err)
	}
	games, err := l.Games.Before(ctx, s.Mark, s.Window)
	if err != nil {
		return fmt.Errorf("cannot go on in %s: %w", l.Dir.Path(), err)
	}
	if lost := s.Window - len(games); lost > 0 {
		l.warn(fmt.Errorf("%d of the %d games of the window are lost: the run goes on without them", lost, s.Window))
	}
	if err := l.Window.Restore(s.Positions, games); err != nil {
		return fmt.Errorf("cannot go on in %s: %w", l.Dir.Path(), err)
	}
	l.state, l.oldest = s.state, l.Window.Positions()-uint64(l.Window.Len())
	l.state.Config = string(l.Dir.config)
	damage, err := l.Dir.tidy(l.state, l.model(l.state), l.Config.Keep)
	if damage != nil {
		l.warn(damage)
	}
	return err
}

// tensors are those of a checkpoint: the published weights, then all that the learner needs.
func (l *Loop) tensors() []net.Param {
	return append(named("published", l.published), l.learner.tensors()...)
}

// restore sets the weights, published and learned, to those of a checkpoint.
func (l *Loop) restore(s *saved) error {
	n := min(len(l.published.Params), len(s.tensors))
	if err := copyParams(named("published", l.published), s.tensors[:n]); err != nil {
		return err
	}
	return l.learner.restore(s.Step, s.tensors[n:])
}

// model is the newest published model.
func (l *Loop) model(s state) *net.Model {
	return &net.Model{
		Game: l.Game, Iteration: s.Published.Iteration, Step: int(s.Published.Step), Figures: s.Published.Figures,
		Search: s.Published.Search, Weights: l.published,
	}
}

// checkpoint commits the state that the loop has come to, and with it the metrics of the iteration that led there, nil at
// the start of a run.
func (l *Loop) checkpoint(next state, m *Metrics) error {
	c := checkpoint{state: next, tensors: l.tensors(), model: l.model(next), metrics: m}
	if err := l.Dir.commit(&c, l.Config.Keep); err != nil {
		return err
	}
	l.state, l.oldest = c.state, l.Window.Positions()-uint64(l.Window.Len())
	return nil
}

// warn tells of something that is not as it should be, and that the run can do without.
func (l *Loop) warn(err error) {
	if l.Warn != nil {
		l.Warn(err)
	}
}

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
	l := &Loop{
		cfg: cfg, game: setup.Game, seed: setup.Seed, dir: setup.Dir, window: setup.Window, games: setup.Games, strength: setup.Judge,
		observe: setup.Observe, warn: setup.Warn,
		learner: NewLearner(cfg, setup.Weights, setup.Seed), published: setup.Weights.Clone(),
	}
	if l.observe == nil {
		l.observe = func(Event) {}
	}
	if l.warn == nil {
		l.warn = func(error) {}
	}
	for _, damage := range l.dir.damage {
		l.warn(fmt.Errorf("%w; the run goes on from the checkpoint of iteration %d", damage, l.dir.newest.Iteration))
	}
	var err error
	if l.dir.newest == nil {
		err = l.checkpoint(state{
			Format: stateFormat, Config: string(l.dir.config), Game: l.game, Seed: l.seed, Optimizer: cfg.Optimizer,
		}, nil)
	} else {
		err = l.resume(ctx, l.dir.newest)
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
	if s.Game != l.game || s.Seed != l.seed {
		return fmt.Errorf("the run in %s is of %s with seed %d, it cannot go on with %s and seed %d: choose another directory",
			l.dir.Path(), s.Game, s.Seed, l.game, l.seed)
	}
	if s.Optimizer != l.cfg.Optimizer {
		return fmt.Errorf("the run in %s has train.optimizer %q, it cannot go on with %q: choose another directory",
			l.dir.Path(), s.Optimizer, l.cfg.Optimizer)
	}
	if err := l.restore(s); err != nil {
		return fmt.Errorf("the run in %s cannot go on with a network of %+v: %w: choose another directory", l.dir.Path(), l.published.Config, err)
	}
	games, err := l.games.Recent(ctx, s.Cursor, s.Window)
	if err != nil {
		return fmt.Errorf("cannot go on in %s: %w", l.dir.Path(), err)
	}
	if lost := s.Window - len(games); lost > 0 {
		l.warn(fmt.Errorf("%d of the %d games of the window are lost: the run goes on without them", lost, s.Window))
	}
	if err := l.window.Restore(s.Positions, games); err != nil {
		return fmt.Errorf("cannot go on in %s: %w", l.dir.Path(), err)
	}
	l.state, l.oldest = s.state, l.window.Positions()-uint64(l.window.Len())
	l.state.Config = string(l.dir.config)
	damage, err := l.dir.tidy(l.state, l.model(l.state), l.cfg.Keep)
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
		Game: l.game, Iteration: s.Published.Iteration, Step: int(s.Published.Step), Figures: s.Published.Figures, Weights: l.published,
	}
}

// checkpoint commits the state that the loop has come to, and with it the metrics of the iteration that led there, nil at
// the start of a run.
func (l *Loop) checkpoint(next state, m *Metrics) error {
	c := checkpoint{state: next, tensors: l.tensors(), model: l.model(next), metrics: m}
	if err := l.dir.commit(&c, l.cfg.Keep); err != nil {
		return err
	}
	l.state, l.oldest = c.state, l.window.Positions()-uint64(l.window.Len())
	return nil
}

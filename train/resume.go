package train

import (
	"context"
	"errors"
	"fmt"
	"time"

	"tengen/net"
	"tengen/train/checkpoint"
)

// New returns a loop that resumes the run in the directory, or begins one by publishing the initial weights. A run with
// another game, seed, optimizer, selfplay.ahead or network, or with other games than its checkpoint's, is an error.
func New(ctx context.Context, setup Setup) (*Loop, error) {
	cfg := setup.Config
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	if setup.Arena == nil && (cfg.EvaluateEvery > 0 || cfg.Gate.Games > 0) {
		return nil, errors.New("train.evaluate_every or train.gate.games asks for matches, but Setup.Arena is nil")
	}
	l := &Loop{
		cfg: cfg, game: setup.Game, seed: setup.Seed, search: setup.Search, dir: setup.Dir, window: setup.Window, games: setup.Games, arena: setup.Arena,
		ahead: setup.Ahead, observe: setup.Observe, warn: setup.Warn, clock: setup.Clock,
		learner: NewLearner(cfg, setup.Weights, setup.Seed), published: setup.Weights.Clone(),
	}
	if l.ahead > 0 {
		l.before = l.published.Clone()
	}
	if l.observe == nil {
		l.observe = func(Event) {}
	}
	if l.warn == nil {
		l.warn = func(error) {}
	}
	if l.clock == nil {
		l.clock = time.Now
	}
	if err := l.begin(ctx); err != nil {
		return nil, err
	}
	return l, nil
}

// begin commits the start of a new run, or resumes the run in the directory.
func (l *Loop) begin(ctx context.Context) error {
	newest, damage := l.dir.Newest()
	if newest == nil {
		return l.checkpoint(checkpoint.Checkpoint{
			Game: l.game, Seed: l.seed, Optimizer: l.cfg.Optimizer, Ahead: l.ahead, Published: checkpoint.Published{Search: l.search},
		}, nil)
	}
	for _, err := range damage {
		l.warn(fmt.Errorf("%w; the run continues from the checkpoint of iteration %d", err, newest.Iteration))
	}
	return l.resume(ctx, newest)
}

// Iteration returns the number of iterations committed so far.
func (l *Loop) Iteration() int { return l.state.Iteration }

func (l *Loop) resume(ctx context.Context, c *checkpoint.Checkpoint) error {
	if c.Game != l.game || c.Seed != l.seed {
		return fmt.Errorf("the run in %s is of %s with seed %d, it cannot continue with %s and seed %d: choose another directory",
			l.dir.Path(), c.Game, c.Seed, l.game, l.seed)
	}
	if c.Optimizer != l.cfg.Optimizer {
		return fmt.Errorf("the run in %s has train.optimizer %q, it cannot continue with %q: choose another directory",
			l.dir.Path(), c.Optimizer, l.cfg.Optimizer)
	}
	if c.Ahead != l.ahead {
		return fmt.Errorf("the run in %s has selfplay.ahead %d, it cannot continue with %d: choose another directory", l.dir.Path(), c.Ahead, l.ahead)
	}
	if err := l.restore(c); err != nil {
		return fmt.Errorf("the run in %s cannot continue with a network of %+v: %w: choose another directory", l.dir.Path(), l.published.Config, err)
	}
	l.reached(*c)
	if err := l.refill(ctx, c); err != nil {
		return fmt.Errorf("cannot continue in %s: %w", l.dir.Path(), err)
	}
	damage, err := l.dir.Restore(c, l.model(c.Published), l.cfg.Keep)
	if damage != nil {
		l.warn(damage)
	}
	return err
}

func (l *Loop) refill(ctx context.Context, c *checkpoint.Checkpoint) error {
	games, err := l.games.Recent(ctx, c.Cursor, c.Window)
	if err != nil {
		return err
	}
	if lost := c.Window - len(games); lost > 0 {
		l.warn(fmt.Errorf("%d of the %d games of the window are lost: the run continues without them", lost, c.Window))
	}
	return l.window.Restore(ctx, c.Positions, games)
}

// tensors returns a checkpoint's tensors: the models that play, then the learner's state.
func (l *Loop) tensors() []net.Param { return append(l.models(), l.learner.tensors()...) }

func (l *Loop) models() []net.Param {
	tensors := named("published", l.published)
	if l.ahead > 0 {
		tensors = append(tensors, named("before", l.before)...)
	}
	return tensors
}

func (l *Loop) restore(c *checkpoint.Checkpoint) error {
	models := l.models()
	n := min(len(models), len(c.Tensors))
	if err := copyParams(models, c.Tensors[:n]); err != nil {
		return err
	}
	return l.learner.restore(c.Step, c.Tensors[n:])
}

func (l *Loop) model(p checkpoint.Published) *net.Model {
	return &net.Model{
		Game: l.game, Iteration: p.Iteration, Step: int(p.Step), Figures: p.Figures, Search: p.Search, Weights: l.published,
	}
}

// checkpoint commits the loop's state and the metrics of the iteration, nil at the start of a run.
func (l *Loop) checkpoint(next checkpoint.Checkpoint, m *checkpoint.Metrics) error {
	next.Tensors = l.tensors()
	if err := l.dir.Commit(&next, l.model(next.Published), m, l.cfg.Keep); err != nil {
		return err
	}
	l.reached(next)
	return nil
}

// reached records that the run and its window are at the checkpoint.
func (l *Loop) reached(c checkpoint.Checkpoint) {
	c.Tensors = nil // training keeps changing them
	l.state, l.neededBefore, l.needed = c, l.needed, c.Cursor-min(c.Cursor, uint64(c.Window))
}

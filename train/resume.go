package train

import (
	"context"
	"fmt"

	"tengen/net"
	"tengen/train/checkpoint"
)

// New returns a loop that resumes the run in the directory, or begins one by publishing the initial weights. A run with
// another network, or with other games than its checkpoint's, is an error. The caller has compared the settings, and
// must close the loop.
func New(ctx context.Context, setup Setup) (*Loop, error) {
	l := &Loop{
		setup: setup, learner: NewLearner(setup.Config, setup.Weights, setup.Seed), published: setup.Weights.Clone(),
		games: &gameSource{
			log: setup.Log, player: setup.Player, banned: setup.Banned, seed: setup.Seed, keep: setup.KeepGames,
			model: checkpoint.PlayedBy(setup.Dir.Path(), setup.Config.GamesPerIteration), report: setup.Warn,
		},
	}
	if setup.Ahead > 0 {
		l.before = l.published.Clone()
	}
	if err := l.begin(ctx); err != nil {
		l.Close()
		return nil, err
	}
	return l, nil
}

// Close ends the loop's goroutines. It must not be called during Run.
func (l *Loop) Close() { l.learner.Close() }

// begin commits the start of a new run, or resumes the run in the directory.
func (l *Loop) begin(ctx context.Context) error {
	newest, damage := l.setup.Dir.Newest()
	if newest == nil {
		return l.checkpoint(checkpoint.Checkpoint{
			Published: checkpoint.Published{Search: l.setup.Search},
		}, nil)
	}
	for _, err := range damage {
		l.setup.Warn(fmt.Errorf("%w; the run continues from the checkpoint of iteration %d", err, newest.Iteration))
	}
	return l.resume(ctx, newest)
}

// Iteration returns the number of iterations committed so far.
func (l *Loop) Iteration() int { return l.state.Iteration }

func (l *Loop) resume(ctx context.Context, c *checkpoint.Checkpoint) error {
	path := l.setup.Dir.Path()
	if err := copyParams(l.tensors(), c.Tensors); err != nil {
		return fmt.Errorf("the run in %s cannot continue with a network of %+v: %w: choose another directory", path, l.published.Config, err)
	}
	l.learner.resume(c.Step)
	l.published = l.learner.Published().Clone()
	l.reached(*c)
	l.neededBefore = l.needed // what only the checkpoint before needs is not worth a replay of the whole log
	if err := l.refill(ctx, c); err != nil {
		return fmt.Errorf("cannot continue in %s: %w", path, err)
	}
	damage, err := l.setup.Dir.Restore(c, l.model(c.Published), l.setup.Config.Keep)
	if damage != nil {
		l.setup.Warn(damage)
	}
	return err
}

func (l *Loop) refill(ctx context.Context, c *checkpoint.Checkpoint) error {
	games, err := l.games.recent(ctx, c.Oldest, c.Games, c.Window)
	if err != nil {
		return err
	}
	if lost := c.Window - len(games); lost > 0 {
		l.setup.Warn(fmt.Errorf("%d of the %d games of the window are lost: the run continues without them", lost, c.Window))
		if err := l.setup.Log.Forget(ctx, uint64(c.Published.Iteration)); err != nil { // later models come out otherwise now
			return err
		}
	}
	return l.setup.Window.Restore(ctx, c.Positions, games)
}

// tensors returns a checkpoint's tensors: with Setup.Ahead the model that plays next, and the learner's state. They share
// memory with them.
func (l *Loop) tensors() (tensors []net.Param) {
	if l.setup.Ahead > 0 {
		tensors = named("before", l.before)
	}
	return append(tensors, l.learner.tensors()...)
}

func (l *Loop) model(p checkpoint.Published) *net.Model {
	return &net.Model{
		Game: l.setup.Game, Iteration: p.Iteration, Step: int(p.Step), Figures: p.Figures, Search: p.Search, Weights: l.published,
	}
}

// checkpoint commits the loop's state and the metrics of the iteration, nil at the start of a run.
func (l *Loop) checkpoint(next checkpoint.Checkpoint, m *checkpoint.Metrics) error {
	next.Settings, next.Semantics, next.Tensors = l.setup.Settings, l.setup.Semantics, l.tensors()
	if err := l.setup.Dir.Commit(&next, l.model(next.Published), m, l.setup.Config.Keep); err != nil {
		return err
	}
	l.reached(next)
	return nil
}

// reached makes the checkpoint the loop's state.
func (l *Loop) reached(c checkpoint.Checkpoint) {
	c.Tensors = nil // training keeps changing them
	l.state, l.neededBefore, l.needed = c, l.needed, c.Oldest
}

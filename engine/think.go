package engine

import (
	"context"

	"tengen/arena"
	"tengen/game"
	"tengen/live"
)

// ThinkConfig describes a Thinker.
type ThinkConfig struct {
	Player  arena.Spec
	Players PlayerOptions
	live.Options
}

// Thinker thinks about one position at a time, see live.Thinker. It is safe for concurrent use.
type Thinker interface {
	// Limit is that of the player's SPEC.
	Limit() live.Limit
	// Set goes to a position, and keeps what is known of it if it comes one or two moves after the one before.
	Set(p Position)
	// Advance plays a move, which must be legal, and keeps what is known of the position that it leads to.
	Advance(a game.Action)
	// Think thinks until the limit is reached, the position is proven, or ctx ends or Stop is called, which is no error.
	// report hears of partial results, and of the answer. It panics when the limit is negative.
	Think(ctx context.Context, limit live.Limit, report func(live.Report)) (live.Report, error)
	// Ponder thinks without a limit until the next call of anything else, and returns at once.
	Ponder()
	// Stop ends what Think or Ponder have begun. Afterwards there is nothing to close.
	Stop()
}

// Think implements Engine.
func (e typed[S]) Think(c ThinkConfig) (Thinker, error) {
	if err := c.Options.Validate(); err != nil {
		return nil, InputError{err}
	}
	t, limit, err := live.Build(e.builder(c.Players), c.Player, c.Options)
	if err != nil {
		return nil, err
	}
	return typedThinker[S]{t, e, limit}, nil
}

type typedThinker[S game.State[S]] struct {
	*live.Thinker[S]
	engine typed[S]
	limit  live.Limit
}

// Limit implements Thinker.
func (t typedThinker[S]) Limit() live.Limit { return t.limit }

// Set implements Thinker.
func (t typedThinker[S]) Set(p Position) { t.Thinker.Set(t.engine.state(p)) }

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
	// Set goes to a position, and keeps what is known of it if it is reached from the one before. Advance plays a move.
	Set(p Position)
	Advance(a game.Action)
	// Think thinks until the limit is reached, the position is proven, or ctx ends or Stop is called, which is no error.
	// report, unless nil, hears of partial results.
	Think(ctx context.Context, limit live.Limit, report func(live.Report)) (live.Report, error)
	// Ponder thinks without a limit until the next call of anything else.
	Ponder()
	Stop()
}

// Think implements Engine.
func (e typed[S]) Think(c ThinkConfig) (Thinker, error) {
	t, limit, err := live.Build(e.builder(c.Players), c.Player, c.Options)
	if err != nil {
		return nil, err
	}
	return typedThinker[S]{t, limit}, nil
}

type typedThinker[S game.State[S]] struct {
	*live.Thinker[S]
	limit live.Limit
}

// Limit implements Thinker.
func (t typedThinker[S]) Limit() live.Limit { return t.limit }

// Set implements Thinker.
func (t typedThinker[S]) Set(p Position) { t.Thinker.Set(p.state.(S)) }

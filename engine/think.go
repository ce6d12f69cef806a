package engine

import (
	"context"

	"tengen/game"
	"tengen/players"
)

// Thinker thinks about one position at a time, see players.Thinker. It is safe for concurrent use.
type Thinker interface {
	// Limit is that of the player's SPEC.
	Limit() players.Limit
	// Set goes to a position, and keeps what is known of it if it comes one or two moves after the one before.
	Set(p Position)
	// Reset goes to a position and forgets everything, so that the next thought does not depend on those before.
	Reset(p Position)
	// Advance plays a move, which must be legal, and keeps what is known of the position that it leads to.
	Advance(a game.Action)
	// Think thinks until the limit is reached, the position is proven, or ctx ends or Stop is called, which is no error.
	// report hears of partial results, and of the answer. It panics when the limit is negative.
	Think(ctx context.Context, limit players.Limit, report func(players.Report)) (players.Report, error)
	// Explain is Think with a players.Detail where there is a tree to look into. line are moves from the position on.
	Explain(ctx context.Context, limit players.Limit, line []game.Action, report func(players.Report)) (players.Report, error)
	// Ponder thinks without a limit until the next call of anything else, and returns at once.
	Ponder()
	// Stop ends what Think or Ponder have begun. Afterwards there is nothing to close.
	Stop()
}

// Think implements Player.
func (p typedPlayer[S]) Think(o players.Options) (Thinker, error) {
	if err := o.Validate(); err != nil {
		return nil, InputError{err}
	}
	t, err := p.Factory.Think(o)
	if err != nil {
		return nil, err
	}
	return typedThinker[S]{t, p.engine, p.Limit}, nil
}

type typedThinker[S game.State[S]] struct {
	*players.Thinker[S]
	engine Typed[S]
	limit  players.Limit
}

// Limit implements Thinker.
func (t typedThinker[S]) Limit() players.Limit { return t.limit }

// Set implements Thinker.
func (t typedThinker[S]) Set(p Position) { t.Thinker.Set(t.engine.state(p)) }

// Reset implements Thinker.
func (t typedThinker[S]) Reset(p Position) { t.Thinker.Reset(t.engine.state(p)) }

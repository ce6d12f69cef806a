package engine

import (
	"context"

	"tengen/game"
	"tengen/players"
)

// Thinker thinks about one position at a time, see players.Thinker. It is safe for concurrent use.
type Thinker interface {
	// Limit returns the SPEC's limit.
	Limit() players.Limit
	// Set moves to a position. It keeps the tree if the position is one or two moves further.
	Set(p Position)
	// Reset moves to a position and forgets everything.
	Reset(p Position)
	// Advance plays a legal move and keeps the tree below it.
	Advance(a game.Action)
	// Think searches until the limit is reached, the position is proven, ctx ends or Stop is called; none is an error. It calls
	// report with partial results and the answer. It panics if the limit is negative.
	Think(ctx context.Context, limit players.Limit, report func(players.Report)) (players.Report, error)
	// Explain is Think with a players.Detail if there is a tree. line is moves from the position.
	Explain(ctx context.Context, limit players.Limit, line []game.Action, report func(players.Report)) (players.Report, error)
	// Ponder returns at once and searches until the next call.
	Ponder()
	// Stop ends Think or Ponder. There is nothing to close afterwards.
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

package engine

import (
	"context"

	"tengen/game"
	"tengen/players"
)

// Thinker thinks about one position at a time (see players.Thinker). It is safe for concurrent use.
type Thinker interface {
	// Limit returns the SPEC's limit.
	Limit() players.Limit
	// Set sets the position. It keeps the search tree if p is at most two moves ahead.
	Set(p Position)
	// Reset sets the position and forgets all findings.
	Reset(p Position)
	// Think thinks until the limit is reached, the position is proven, ctx ends or Stop is called. None of these is an
	// error. It reports partial results and the answer.
	Think(ctx context.Context, limit players.Limit, report func(players.Report)) (players.Report, error)
	// Explain is like Think, but reports have a players.Detail if there is a tree. line leads to Detail.Below.
	Explain(ctx context.Context, limit players.Limit, line []game.Action, report func(players.Report)) (players.Report, error)
	// Ponder thinks until the next call to another method. It returns at once.
	Ponder()
	// Stop ends the current Think or Ponder. After it, no goroutine of the Thinker runs.
	Stop()
	// Close ends the process of an external engine.
	Close()
}

// Think makes a player's Thinker. Invalid options are an InputError.
func (e Typed[S]) Think(p Player, o players.Options) (Thinker, error) {
	if err := o.Validate(); err != nil {
		return nil, InputError{err}
	}
	t, err := p.(players.Player[S]).Think(o)
	if err != nil {
		return nil, err
	}
	return typedThinker[S]{t, e, p.(players.Player[S]).Limit}, nil
}

type typedThinker[S game.State[S]] struct {
	*players.Thinker[S]
	engine Typed[S]
	limit  players.Limit
}

// Limit implements Thinker.
func (t typedThinker[S]) Limit() players.Limit { return t.limit }

// Set implements Thinker.
func (t typedThinker[S]) Set(p Position) { t.Thinker.Set(t.engine.line(p)) }

// Reset implements Thinker.
func (t typedThinker[S]) Reset(p Position) { t.Thinker.Reset(t.engine.line(p)) }

package engine

import (
	"context"
	"fmt"
	"sync"

	"tengen/game"
	"tengen/live"
	"tengen/mcts"
	"tengen/players"
	"tengen/players/model"
)

// ThinkConfig describes a Thinker.
type ThinkConfig struct {
	Player  players.Spec
	Players PlayerOptions
	// Network takes the place of the model that Player names, so that it is read once and what it says of positions is shared.
	// It has to be of the same engine's game. nil: the model is read.
	Network Network
	live.Options
}

// Network is a model that was read to play a game. It is safe for concurrent use.
type Network interface {
	// Evaluate is what the network says of a position that is not over, without a search: the probability of each move
	// [Info.Actions], and a value for the side to move. The error says that its output is not finite.
	Evaluate(p Position) (policy []float32, value float32, err error)
}

// ModelInfo says of a model what a person may want to know who chooses among several.
type ModelInfo struct {
	Game        string // that it has learned
	Iteration   int    // of its run, that has made it
	Simulations int    // a move, that it was trained with
}

// Thinker thinks about one position at a time, see live.Thinker. It is safe for concurrent use.
type Thinker interface {
	// Limit is that of the player's SPEC.
	Limit() live.Limit
	// Set goes to a position, and keeps what is known of it if it comes one or two moves after the one before.
	Set(p Position)
	// Reset goes to a position and forgets everything, so that the next thought does not depend on those before.
	Reset(p Position)
	// Advance plays a move, which must be legal, and keeps what is known of the position that it leads to.
	Advance(a game.Action)
	// Think thinks until the limit is reached, the position is proven, or ctx ends or Stop is called, which is no error.
	// report hears of partial results, and of the answer. It panics when the limit is negative.
	Think(ctx context.Context, limit live.Limit, report func(live.Report)) (live.Report, error)
	// Explain is Think with a live.Detail where there is a tree to look into. line are moves from the position on.
	Explain(ctx context.Context, limit live.Limit, line []game.Action, report func(live.Report)) (live.Report, error)
	// Ponder thinks without a limit until the next call of anything else, and returns at once.
	Ponder()
	// Stop ends what Think or Ponder have begun. Afterwards there is nothing to close.
	Stop()
}

// Think implements Game.
func (e Typed[S]) Think(c ThinkConfig) (Thinker, error) {
	if err := c.Options.Validate(); err != nil {
		return nil, InputError{err}
	}
	builder := e.Builder(c.Players)
	if c.Network != nil {
		builder.Open = func(string) (players.Network[S], error) { return c.Network.(*typedNetwork[S]).network, nil }
	}
	t, limit, err := live.Build(builder, c.Player, c.Options)
	if err != nil {
		return nil, err
	}
	return typedThinker[S]{t, e, limit}, nil
}

type typedThinker[S game.State[S]] struct {
	*live.Thinker[S]
	engine Typed[S]
	limit  live.Limit
}

// Limit implements Thinker.
func (t typedThinker[S]) Limit() live.Limit { return t.limit }

// Set implements Thinker.
func (t typedThinker[S]) Set(p Position) { t.Thinker.Set(t.engine.state(p)) }

// Reset implements Thinker.
func (t typedThinker[S]) Reset(p Position) { t.Thinker.Reset(t.engine.state(p)) }

// typedNetwork is a Network of a game.
type typedNetwork[S game.State[S]] struct {
	engine  Typed[S]
	network players.Network[S]

	mu        sync.Mutex
	evaluator mcts.Evaluator[S] // for Evaluate; nil before its first call
}

// Network implements Game.
func (e Typed[S]) Network(path string, o PlayerOptions) (Network, error) {
	m, err := openModel(path)
	if err != nil {
		return nil, err
	}
	network, err := e.network(path, m, o)
	if err != nil {
		return nil, err
	}
	return &typedNetwork[S]{engine: e, network: network}, nil
}

// Describe implements Game.
func (e Typed[S]) Describe(path string) (ModelInfo, error) {
	m, err := openModel(path)
	if err != nil {
		return ModelInfo{}, err
	}
	if _, err := e.Weights(m); err != nil {
		return ModelInfo{}, fmt.Errorf("%s: %w", path, err)
	}
	search, err := model.Search(m)
	return ModelInfo{Game: m.Game, Iteration: m.Iteration, Simulations: search.Simulations}, err
}

// Evaluate implements Network.
func (n *typedNetwork[S]) Evaluate(p Position) (policy []float32, value float32, err error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.evaluator == nil {
		if n.evaluator, err = n.network.Evaluator(); err != nil {
			return nil, 0, err
		}
	}
	policy, values := make([]float32, n.engine.Rules.Actions()), make([]float32, 1)
	err = n.evaluator.Evaluate([]S{n.engine.state(p)}, [][]float32{policy}, values)
	return policy, values[0], err
}

package players

import (
	"errors"
	"fmt"

	"tengen/game"
	"tengen/mcts"
	"tengen/mcts/uct"
	"tengen/solver"
)

// Builder turns the names of players into players of one game.
type Builder[S game.State[S]] struct {
	Game  game.Game[S]
	Batch int // leaves in one evaluation of a net

	// Open reads the network at a path, a model file or a run's directory. It is called once for each net built.
	Open func(path string) (Network[S], error)

	// Solver returns a new solver, the strongest that there is for the game. nil where there is none.
	Solver func() (solver.Solver[S], error)
}

// Network is a network that players search with.
type Network[S game.State[S]] struct {
	Search    mcts.Config                       // its Simulations are those of a net whose SPEC names none
	Evaluator func() (mcts.Evaluator[S], error) // makes one for each goroutine
}

// Build returns the player that the spec names. Errors, those of the factory too, name the spec. A file that Open cannot
// read is one; a solver that the game has not got shows when a player is made.
func (b Builder[S]) Build(spec Spec) (Entrant[S], error) {
	newPlayer, err := b.factory(&spec)
	if err != nil {
		return Entrant[S]{}, fmt.Errorf("player %q: %w", spec, err)
	}
	return Entrant[S]{Name: spec.String(), New: func() (Player[S], error) {
		p, err := newPlayer()
		if err != nil {
			return nil, fmt.Errorf("player %q: %w", spec, err)
		}
		return p, nil
	}}, nil
}

// factory has a case for each kind of player. It fills in what the spec leaves to the player.
func (b Builder[S]) factory(spec *Spec) (Factory[S], error) {
	budget := mcts.Budget{Simulations: spec.Limit, Time: spec.Time}
	switch spec.Kind {
	case KindRandom:
		return func() (Player[S], error) {
			return oneByOne[S]{&randomPlayer[S]{actions: b.Game.Actions()}}, nil
		}, nil
	case KindUCT:
		return func() (Player[S], error) {
			return oneByOne[S]{&uctPlayer[S]{b.Game.Actions(), uct.New[S](uct.DefaultExploration), budget}}, nil
		}, nil
	case KindNet:
		return b.net(spec)
	case KindMinimax:
		table := newPlanned(b.Game)
		return b.exact(func() (solver.Solver[S], error) { return table, nil }), nil
	case KindSolver:
		return b.exact(b.Solver), nil
	case KindAlphaBeta:
		return func() (Player[S], error) {
			s, err := solver.NewSearcher(b.Game, solver.DefaultPlayer(b.Game))
			limit := solver.Limit{Depth: spec.Limit, Time: spec.Time}
			return oneByOne[S]{&alphaBetaPlayer[S]{b.Game.Actions(), s, limit}}, err
		}, nil
	case KindHuman:
		return nil, errors.New("there is nobody to ask for a move")
	}
	return nil, fmt.Errorf("unknown kind %q", spec.Kind)
}

// net makes players of the network that the spec names.
func (b Builder[S]) net(spec *Spec) (Factory[S], error) {
	network, err := b.Open(spec.Path)
	if err != nil {
		return nil, err
	}
	if spec.Limit == Unset {
		spec.Limit = network.Search.Simulations
	}
	budget := mcts.Budget{Simulations: spec.Limit, Time: spec.Time}
	return func() (Player[S], error) {
		ev, err := network.Evaluator()
		if err != nil {
			return nil, err
		}
		return NewNet(network.Search, b.Game.Actions(), ev, budget, b.Batch), nil
	}, nil
}

// exact makes players of what open returns, a solver for each.
func (b Builder[S]) exact(open func() (solver.Solver[S], error)) Factory[S] {
	return func() (Player[S], error) {
		if open == nil {
			return nil, fmt.Errorf("there is no solver for %s", b.Game.Name())
		}
		s, err := open()
		return oneByOne[S]{&exactPlayer[S]{b.Game.Actions(), s}}, err
	}
}

package engine

import (
	"errors"
	"fmt"

	"tengen/game"
	"tengen/mcts"
	"tengen/net"
	"tengen/players"
	"tengen/solver"
)

// PlayerOptions configure players.
type PlayerOptions struct {
	// Search changes the search constants of the model's training. nil keeps them.
	Search func(trained mcts.Config) mcts.Config
	// Megabytes is the size of the evaluation cache. 0 means EvaluationMegabytes.
	Megabytes int
	// Models holds models that are loaded already, by their paths in SPECs.
	Models map[string]*net.Model
	// Network replaces the model named by the SPEC. nil means to load it.
	Network Network
}

// OpenFor returns the game with the given name. If name is empty, it returns the game of the first network among the
// players, or an InputError if there is none.
func OpenFor(name string, specs ...players.Spec) (Game, error) {
	for _, s := range specs {
		if name != "" || s.Kind != players.KindNet {
			continue
		}
		m, err := openModel(s.Path)
		if err != nil {
			return nil, fmt.Errorf("player %q: %w", s, err)
		}
		e, err := OpenRecorded(m.Game)
		if err != nil {
			return nil, fmt.Errorf("player %q: %w", s, err)
		}
		return e, nil
	}
	if name == "" {
		return nil, InputError{errors.New("which game? Name it with --game, such as --game connect4")}
	}
	return Open(name)
}

// Player implements Game.
func (e Typed[S]) Player(s players.Spec, o PlayerOptions) (Player, error) {
	builder := players.Builder[S]{
		Game:   e.Rules,
		Batch:  EvaluationBatch,
		Solver: func() (solver.Solver[S], error) { return e.Exact.New(DefaultSolverOptions()) },
		Open: func(path string) (players.Network[S], error) {
			if o.Network == nil {
				var err error
				if o.Network, err = OpenNetwork(e, path, o); err != nil {
					return players.Network[S]{}, err
				}
			}
			return o.Network.(*typedNetwork[S]).searched(), nil
		},
	}
	factory, err := builder.Build(s)
	if err != nil {
		return nil, err
	}
	return typedPlayer[S]{factory, e, s, builder}, nil
}

// typedPlayer implements Player. Its builder caches the network.
type typedPlayer[S game.State[S]] struct {
	players.Factory[S]
	engine  Typed[S]
	spec    players.Spec
	builder players.Builder[S]
}

// Name implements Player.
func (p typedPlayer[S]) Name() string { return p.Factory.Name }

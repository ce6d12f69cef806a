package engine

import (
	"cmp"
	"errors"
	"fmt"

	"tengen/game"
	"tengen/mcts"
	"tengen/net"
	"tengen/players"
	"tengen/players/model"
	"tengen/solver"
)

// PlayerOptions say how players are made.
type PlayerOptions struct {
	// Search changes the search constants that a model was trained with. nil leaves them as they are.
	Search func(trained mcts.Config) mcts.Config
	// Megabytes is the memory for evaluations met again. 0: EvaluationMegabytes.
	Megabytes int
}

// openModel reads a model by the name that a person gives it.
var openModel = net.LoadModel

// RegisterModels says how models are read by their names, other than as files. The program does so before all else.
func RegisterModels(open func(name string) (*net.Model, error)) { openModel = open }

// OpenFor returns the engine of the game with the given name or, where that is empty, of the game that the first network
// among the players is for. An InputError says that nothing tells.
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

// Builder makes players of this game.
func (e Typed[S]) Builder(o PlayerOptions) players.Builder[S] {
	return players.Builder[S]{
		Game:  e.Rules,
		Batch: EvaluationBatch,
		Open: func(path string) (players.Network[S], error) {
			m, err := openModel(path)
			if err != nil {
				return players.Network[S]{}, err
			}
			return e.network(path, m, o)
		},
		Solver: func() (solver.Solver[S], error) { return e.Exact.New(DefaultSolverOptions()) },
	}
}

// network makes a player's network of the model at path.
func (e Typed[S]) network(path string, m *net.Model, o PlayerOptions) (players.Network[S], error) {
	weights, err := e.Weights(m)
	if err != nil {
		return players.Network[S]{}, fmt.Errorf("%s: %w", path, err)
	}
	search, err := model.Search(m)
	if err != nil {
		return players.Network[S]{}, fmt.Errorf("%s: %w", path, err)
	}
	if o.Search != nil {
		search = o.Search(search)
	}
	return model.Network(e.Rules, weights, search, EvaluationBatch, cmp.Or(o.Megabytes, EvaluationMegabytes)), nil
}

// Weights are those of a model for this game, see model.Weights.
func (e Typed[S]) Weights(m *net.Model) (*net.Weights, error) {
	var learned game.Game[S]
	if other, err := OpenRecorded(m.Game); err == nil {
		if family, ok := other.(Typed[S]); ok {
			learned = family.Rules
		}
	}
	return model.Weights(e.Rules, m, learned)
}

const (
	// EvaluationBatch is the number of leaves that a player's network scores at once.
	EvaluationBatch = 32
	// EvaluationMegabytes is the memory for what it has said of positions.
	EvaluationMegabytes = 64
)

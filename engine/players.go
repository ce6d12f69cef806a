package engine

import (
	"errors"
	"fmt"
	"maps"
	"strings"

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
}

// SearchWith is PlayerOptions.Search of some settings, by the full names of their keys: those of the search take the place of
// what a model was trained with. nil where there are none. It panics at a value that Merge refuses.
func SearchWith(settings map[string]any) func(trained mcts.Config) mcts.Config {
	given := maps.Clone(settings)
	maps.DeleteFunc(given, func(key string, _ any) bool { return !strings.HasPrefix(key, "search.") })
	if len(given) == 0 {
		return nil
	}
	return func(trained mcts.Config) mcts.Config {
		c := Config{Search: trained}
		if err := c.Merge(given); err != nil {
			panic(err)
		}
		return c.Search
	}
}

// OpenFor returns the engine of the game with the given name or, where that is empty, of the game that the first network
// among the players is for. An InputError says that nothing tells.
func OpenFor(name string, specs ...players.Spec) (Engine, error) {
	for _, s := range specs {
		if name != "" || s.Kind != players.KindNet {
			continue
		}
		m, err := OpenModel(s.Path)
		if err != nil {
			return nil, fmt.Errorf("player %q: %w", s, err)
		}
		e, err := openRecorded(m.Game)
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

// builder makes players of this game.
func (e typed[S]) builder(o PlayerOptions) players.Builder[S] {
	return players.Builder[S]{
		Game:  e.game,
		Batch: evaluationBatch,
		Open: func(path string) (players.Network[S], error) {
			m, err := OpenModel(path)
			if err != nil {
				return players.Network[S]{}, err
			}
			return e.network(path, m, o)
		},
		Solver: func() (solver.Solver[S], error) { return e.exact.New(DefaultSolverOptions()) },
	}
}

// network makes a player's network of the model at path.
func (e typed[S]) network(path string, m *net.Model, o PlayerOptions) (players.Network[S], error) {
	weights, err := e.weights(m)
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
	return model.Network(e.game, weights, search, evaluationBatch, evaluationMegabytes), nil
}

// weights are those of a model for this game, see model.Weights.
func (e typed[S]) weights(m *net.Model) (*net.Weights, error) {
	var learned game.Game[S]
	if other, err := openRecorded(m.Game); err == nil {
		if family, ok := other.(typed[S]); ok {
			learned = family.game
		}
	}
	return model.Weights(e.game, m, learned)
}

// fits returns an error if networks of an architecture cannot play this game.
func (e typed[S]) fits(c net.Config) error { return net.Fits(c, e.game) }

const (
	// evaluationBatch is the number of leaves that a player's network scores at once.
	evaluationBatch = 32
	// evaluationMegabytes is the memory for what it has said of positions.
	evaluationMegabytes = 64
)

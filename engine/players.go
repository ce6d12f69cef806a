package engine

import (
	"errors"
	"fmt"
	"maps"
	"strings"

	"tengen/arena"
	"tengen/game"
	"tengen/mcts"
	"tengen/mcts/evalcache"
	"tengen/net"
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

// evaluationBatch is the number of leaves that a player's network scores at once.
const evaluationBatch = 32

// OpenFor returns the engine of the game with the given name or, where that is empty, of the game that the first network
// among the players is for. An InputError says that nothing tells.
func OpenFor(name string, players ...arena.Spec) (Engine, error) {
	for _, s := range players {
		if name != "" || s.Kind != arena.KindNet {
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
func (e typed[S]) builder(o PlayerOptions) arena.Builder[S] {
	return arena.Builder[S]{
		Game:  e.game,
		Batch: evaluationBatch,
		Open: func(path string) (arena.Network[S], error) {
			m, err := OpenModel(path)
			if err != nil {
				return arena.Network[S]{}, err
			}
			return e.network(path, m, o)
		},
		Solver: func() (solver.Solver[S], error) { return e.exact(DefaultSolverOptions()) },
	}
}

// network makes a player's network of the model at path.
func (e typed[S]) network(path string, m *net.Model, o PlayerOptions) (arena.Network[S], error) {
	weights, err := e.weights(m)
	if err != nil {
		return arena.Network[S]{}, fmt.Errorf("%s: %w", path, err)
	}
	search, err := trainedSearch(m)
	if err != nil {
		return arena.Network[S]{}, fmt.Errorf("%s: %w", path, err)
	}
	if o.Search != nil {
		search = o.Search(search)
	}
	return network(e.game, weights, search), nil
}

// weights are those of a model for this game. A network that plays on boards of all sizes may have learned on another one, if as
// many in a row win here.
func (e typed[S]) weights(m *net.Model) (*net.Weights, error) {
	shape := net.ShapeOf(e.game)
	err := m.Check(e.game.Name(), shape)
	if err == nil {
		return m.Weights, nil
	}
	learned, unknown := openRecorded(m.Game)
	other, family := learned.(typed[S])
	switch {
	case unknown != nil || !family || m.Game == e.game.Name():
		return nil, err
	case inARow(other.game) != inARow(e.game):
		return nil, fmt.Errorf("%w; it has learned that %d in a row win", err, inARow(other.game))
	case e.fits(net.Config{PolicyHead: net.HeadConv}) != nil:
		return nil, err
	case !m.Weights.Config.AnySize():
		return nil, fmt.Errorf("%w; only networks with net.policy_head %s and net.value_head %s play on boards of other sizes",
			err, net.HeadConv, net.HeadPooled)
	}
	return m.Weights.Resized(shape)
}

// inARow is how many in a row win on a board of a family, 0 where that means nothing.
func inARow[S game.State[S]](g game.Game[S]) int {
	if g, ok := g.(interface{ K() int }); ok {
		return g.K()
	}
	return 0
}

// fits returns an error if networks of an architecture cannot play this game.
func (e typed[S]) fits(c net.Config) error { return net.Fits(c, e.game) }

// evaluationMegabytes is the memory for what a player's network has said of positions.
const evaluationMegabytes = 64

// network is what a builder needs of a network.
func network[S game.State[S]](g game.Game[S], w *net.Weights, search mcts.Config) arena.Network[S] {
	seen := evalcache.New[S](evaluationMegabytes, g.Actions(), w.SeesLastMove())
	return arena.Network[S]{Search: search, Evaluator: func() (mcts.Evaluator[S], error) {
		return evaluator(g, w, search, seen), nil
	}}
}

// evaluator is what a player scores positions by. A cache of nil holds nothing.
func evaluator[S game.State[S]](g game.Game[S], w *net.Weights, search mcts.Config, seen *evalcache.Cache[S]) mcts.Evaluator[S] {
	ev := net.NewEvaluator[S](w, evaluationBatch)
	leaves := seen.Before(ev)
	if search.RootSymmetries == 1 {
		return leaves
	}
	symmetries := g.Symmetries()
	images := symmetries[:min(search.RootSymmetries, len(symmetries))]
	return rootAverager[S]{leaves, ev.Averaged(images)}
}

// rootAverager takes for positions that are asked about the mean over several images. The cache has no part in that: it would
// tell a search that comes to such a position something else than it tells others.
type rootAverager[S game.State[S]] struct {
	mcts.Evaluator[S]
	roots *net.Averaged[S]
}

// EvaluateRoots implements mcts.RootEvaluator.
func (e rootAverager[S]) EvaluateRoots(roots []S, priors [][]float32, values []float32) error {
	return e.roots.Evaluate(roots, priors, values)
}

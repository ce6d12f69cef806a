package engine

import (
	"encoding/json"
	"fmt"
	"sync"

	"tengen/game"
	"tengen/mcts"
	"tengen/mcts/evalcache"
	"tengen/net"
	"tengen/players"
)

// TrainedSearch returns the search constants of the model's training games. It ignores constants of other versions.
func TrainedSearch(m *net.Model) (search mcts.Config, err error) {
	if err := json.Unmarshal(m.Search, &search); err != nil {
		return search, fmt.Errorf("the model's search constants cannot be read: %w", err)
	}
	return search, search.Validate()
}

// weightsFor returns a model's weights for a game. A network for any board size may have learned on another board with
// the same number in a row to win, even if its rule for winning rows differs. learned is the model's training game if
// this belongs to g's family, else nil. The error says why the model cannot play.
func weightsFor[S game.State[S]](g game.Game[S], m *net.Model, learned game.Game[S]) (*net.Weights, error) {
	shape := net.ShapeOf(g)
	err := m.Check(g.Name(), shape)
	switch {
	case err == nil:
		return m.Weights, nil
	case learned == nil || m.Game == g.Name():
		return nil, err
	case inARow(learned) != inARow(g):
		return nil, fmt.Errorf("%w; it has learned that %d in a row win", err, inARow(learned))
	case net.Fits(net.Config{PolicyHead: net.HeadConv}, g) != nil:
		return nil, err
	case !m.Weights.Config.AnySize():
		return nil, fmt.Errorf("%w; only networks with net.policy_head %s and net.value_head %s play on boards of other sizes or by other rules",
			err, net.HeadConv, net.HeadPooled)
	}
	return m.Weights.Resized(shape)
}

// inARow returns the number in a row that wins, from the game's K method, or 0 without one.
func inARow[S game.State[S]](g game.Game[S]) int {
	if g, ok := g.(interface{ K() int }); ok {
		return g.K()
	}
	return 0
}

// maxSymmetries bounds the symmetries of the board over which the evaluation of a search's root is averaged.
const maxSymmetries = 8

// searched returns a network for a players.Builder. It evaluates the root of a search by the mean over the board's
// symmetries. Its evaluators take batch leaves per call and share a cache of the given megabytes; 0 means no cache.
func searched[S game.State[S]](g game.Game[S], s *net.Server, search mcts.Config, batch, megabytes int) players.Network[S] {
	seen := evalcache.New(megabytes, g)
	return players.Network[S]{Search: search, Evaluator: func() (mcts.Evaluator[S], error) {
		ev := net.NewEvaluatorOf[S](s, batch)
		leaves, symmetries := seen.Before(ev), g.Symmetries()
		if len(symmetries) == 1 {
			return leaves, nil
		}
		return rootAverager[S]{leaves, ev.Averaged(symmetries[:min(maxSymmetries, len(symmetries))])}, nil
	}}
}

// ownersOf returns the players.Network.Owners of weights. Its first call compiles the network.
func ownersOf[S game.State[S]](g game.Game[S], w *net.Weights) func(S) []float32 {
	owners := sync.OnceValue(func() *net.Owners[S] { return net.NewOwners(g, w) })
	return func(position S) []float32 {
		if o := owners(); o != nil {
			return o.Guess(position)
		}
		return nil
	}
}

// rootAverager evaluates roots by the mean over symmetric images. It bypasses the cache of plain evaluations.
type rootAverager[S game.State[S]] struct {
	mcts.Evaluator[S]
	roots *net.Averaged[S]
}

// EvaluateRoots implements mcts.RootEvaluator.
func (e rootAverager[S]) EvaluateRoots(roots []S, priors [][]float32, values []float32) error {
	return e.roots.Evaluate(roots, priors, values)
}

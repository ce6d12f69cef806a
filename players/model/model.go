// Package model makes of a model what players search with: weights that fit the board, the search that they were trained with,
// and evaluators that remember what they have said and may look at a position's images, too.
package model

import (
	"bytes"
	"encoding/json"
	"fmt"

	"tengen/game"
	"tengen/mcts"
	"tengen/mcts/evalcache"
	"tengen/net"
	"tengen/players"
)

// Search is the search that played a model's games.
func Search(m *net.Model) (search mcts.Config, err error) {
	d := json.NewDecoder(bytes.NewReader(m.Search))
	d.DisallowUnknownFields()
	if err := d.Decode(&search); err != nil {
		return search, fmt.Errorf("the model's search constants cannot be read: %w", err)
	}
	return search, search.Validate()
}

// Weights are those of a model for a game. A network that plays on boards of all sizes may have learned on another one, if as
// many in a row win here: learned is that game where it is of the same family, nil where it is not or nobody knows. It may have
// learned another rule of which rows win, too: it guesses by what it has learned, while the search that it guides, and proofs by
// forced moves, keep to the rule of g. The error says why the model cannot play.
func Weights[S game.State[S]](g game.Game[S], m *net.Model, learned game.Game[S]) (*net.Weights, error) {
	shape := net.ShapeOf(g)
	err := m.Check(g.Name(), shape)
	switch {
	case err == nil:
		return m.Weights, nil
	case learned == nil || m.Game == g.Name():
		return nil, err
	case InARow(learned) != InARow(g):
		return nil, fmt.Errorf("%w; it has learned that %d in a row win", err, InARow(learned))
	case net.Fits(net.Config{PolicyHead: net.HeadConv}, g) != nil:
		return nil, err
	case !m.Weights.Config.AnySize():
		return nil, fmt.Errorf("%w; only networks with net.policy_head %s and net.value_head %s play on boards of other sizes or by other rules",
			err, net.HeadConv, net.HeadPooled)
	}
	return m.Weights.Resized(shape)
}

// InARow is how many in a row win on a board of a family, 0 where that means nothing.
func InARow[S game.State[S]](g game.Game[S]) int {
	if g, ok := g.(interface{ K() int }); ok {
		return g.K()
	}
	return 0
}

// Network is what a builder needs of a network. Its evaluators score so many leaves at once, and share a memory of so many megabytes
// for what they have said, none where that is 0.
func Network[S game.State[S]](g game.Game[S], w *net.Weights, search mcts.Config, batch, megabytes int) players.Network[S] {
	seen := evalcache.New[S](megabytes, g.Actions(), w.SeesLastMove())
	return players.Network[S]{Search: search, Evaluator: func() (mcts.Evaluator[S], error) {
		ev := net.NewEvaluator[S](w, batch)
		leaves := seen.Before(ev)
		if search.RootSymmetries == 1 {
			return leaves, nil
		}
		symmetries := g.Symmetries()
		return rootAverager[S]{leaves, ev.Averaged(symmetries[:min(search.RootSymmetries, len(symmetries))])}, nil
	}}
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

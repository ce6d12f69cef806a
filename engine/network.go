package engine

import (
	"cmp"
	"fmt"
	"sync"

	"tengen/game"
	"tengen/mcts"
	"tengen/net"
	"tengen/players"
	"tengen/players/model"
)

// Network is a model prepared for a game. Players that share one also share its cached evaluations. It is safe for
// concurrent use.
type Network interface {
	// Info describes the model.
	Info() ModelInfo
	// Model returns the model for the network's game. It differs from the file if the model was trained on another
	// board.
	Model() *net.Model
	// Evaluate evaluates a position that is not over, without a search. It returns the probability of each move
	// [Info.Actions] and a value for the side to move. It returns an error if the network's output is not finite.
	Evaluate(p Position) (policy []float32, value float32, err error)
}

// ModelInfo describes a model for users who choose among several.
type ModelInfo struct {
	Game        string // trained on
	Iteration   int    // of the run that made it
	Simulations int    // per move, in training
}

const (
	// EvaluationBatch is the number of leaves per evaluation for players.
	EvaluationBatch = 32
	// EvaluationMegabytes is the default size of a network's evaluation cache.
	EvaluationMegabytes = 64
)

// openModel loads a model by a user-given name.
var openModel = net.LoadModel

// RegisterModels replaces the function that loads models by name; the default reads files. Call it at the start of the
// program.
func RegisterModels(open func(name string) (*net.Model, error)) { openModel = open }

// OpenNetwork loads a model and prepares it for a game. path is a file, a run directory or the name of a pretrained
// model. Errors name the path.
func OpenNetwork(e Game, path string, o PlayerOptions) (Network, error) {
	m := o.Models[path]
	if m == nil {
		var err error
		if m, err = openModel(path); err != nil {
			return nil, err
		}
	}
	n, err := e.Network(m, o)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return n, nil
}

// Describe describes the model at a path (see OpenNetwork). The error says why it cannot play the game.
func Describe(e Game, path string) (ModelInfo, error) {
	n, err := OpenNetwork(e, path, PlayerOptions{})
	if err != nil {
		return ModelInfo{}, err
	}
	return n.Info(), nil
}

type typedNetwork[S game.State[S]] struct {
	engine Typed[S]
	info   ModelInfo
	model  *net.Model // for this game

	// searched returns the network to search with. Its cache is allocated by the first call.
	searched func() players.Network[S]

	mu        sync.Mutex
	evaluator mcts.Evaluator[S] // nil before the first Evaluate
}

// Network implements Game.
func (e Typed[S]) Network(m *net.Model, o PlayerOptions) (Network, error) {
	var learned game.Game[S]
	if other, err := OpenRecorded(m.Game); err == nil {
		if family, ok := other.(Typed[S]); ok {
			learned = family.Rules
		}
	}
	weights, err := model.Weights(e.Rules, m, learned)
	if err != nil {
		return nil, err
	}
	search, err := model.Search(m)
	if err != nil {
		return nil, err
	}
	info := ModelInfo{Game: m.Game, Iteration: m.Iteration, Simulations: search.Simulations}
	if o.Search != nil {
		search = o.Search(search)
	}
	played := *m
	played.Game, played.Weights = e.Rules.Name(), weights
	return &typedNetwork[S]{engine: e, info: info, model: &played, searched: sync.OnceValue(func() players.Network[S] {
		return model.Network(e.Rules, weights, search, EvaluationBatch, cmp.Or(o.Megabytes, EvaluationMegabytes))
	})}, nil
}

// Info implements Network.
func (n *typedNetwork[S]) Info() ModelInfo { return n.info }

// Model implements Network.
func (n *typedNetwork[S]) Model() *net.Model { return n.model }

// Evaluate implements Network.
func (n *typedNetwork[S]) Evaluate(p Position) (policy []float32, value float32, err error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.evaluator == nil {
		if n.evaluator, err = n.searched().Evaluator(); err != nil {
			return nil, 0, err
		}
	}
	policy, values := make([]float32, n.engine.Rules.Actions()), make([]float32, 1)
	err = n.evaluator.Evaluate([]S{n.engine.state(p)}, [][]float32{policy}, values)
	return policy, values[0], err
}

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

// Network is a model that plays a game. Players that share one also share its evaluations. It is safe for concurrent use.
type Network interface {
	// Info describes the model.
	Info() ModelInfo
	// Model returns the model with weights for this game, resized if it learned on another board.
	Model() *net.Model
	// Evaluate evaluates a position that is not over, without a search. It returns the probability of each move [Info.Actions]
	// and a value for the side to move, or an error if the output is not finite.
	Evaluate(p Position) (policy []float32, value float32, err error)
}

// ModelInfo describes a model in a list to choose from.
type ModelInfo struct {
	Game        string // that it was trained on
	Iteration   int    // of its run
	Simulations int    // per move in training
}

const (
	// EvaluationBatch is the number of leaves in one evaluation of a player's network.
	EvaluationBatch = 32
	// EvaluationMegabytes is the memory for a network's evaluations.
	EvaluationMegabytes = 64
)

// openModel reads a model by its path or name.
var openModel = net.LoadModel

// RegisterModels replaces the function that reads models. Call it before anything else.
func RegisterModels(open func(name string) (*net.Model, error)) { openModel = open }

// OpenNetwork reads a model for a game: a file, a run directory or the name of a pretrained model.
func OpenNetwork(e Game, path string, o PlayerOptions) (Network, error) {
	m, err := openModel(path)
	if err != nil {
		return nil, err
	}
	n, err := e.Network(m, o)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return n, nil
}

// Describe describes the model that OpenNetwork reads, or returns an error if it cannot play the game.
func Describe(e Game, path string) (ModelInfo, error) {
	n, err := OpenNetwork(e, path, PlayerOptions{})
	if err != nil {
		return ModelInfo{}, err
	}
	return n.Info(), nil
}

// typedNetwork is a Network of a game.
type typedNetwork[S game.State[S]] struct {
	engine Typed[S]
	info   ModelInfo
	model  *net.Model // for the game

	// searched returns the network for players. The first call allocates its cache.
	searched func() players.Network[S]

	mu        sync.Mutex
	evaluator mcts.Evaluator[S] // for Evaluate; nil before its first call
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

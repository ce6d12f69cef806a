package engine

import (
	"cmp"
	"fmt"
	"sync"

	"tengen/game"
	"tengen/mcts"
	"tengen/net"
	"tengen/players"
)

// Network is a model prepared for a game, with an evaluation cache. It is safe for concurrent use.
type Network interface {
	// Info describes the model.
	Info() ModelInfo
	// Model returns the model, adapted to the game.
	Model() *net.Model
	// Evaluate evaluates an unfinished position without search. It returns the probability of each move [Info.Actions]
	// and a value for the side to move, or an error if the output is not finite.
	Evaluate(p Position) (policy []float32, value float32, err error)
	// Close frees the memory of PlayerOptions.Device, as does that device's Close. It must follow the last use.
	Close()
}

// ModelInfo describes a model.
type ModelInfo struct {
	Game        string // trained on
	Iteration   int    // of its run
	Simulations int    // per training move
}

const (
	evaluationBatch  = 32  // leaves per evaluation
	deviceBatch      = 256 // leaves of several evaluators together, on a device
	defaultMegabytes = 64  // size of the evaluation cache
)

// OpenNetwork loads a model by file, run directory or name, and prepares it. Errors name the path.
func OpenNetwork(e Game, path string, o PlayerOptions) (Network, error) {
	m := o.Models[path]
	if m == nil {
		var err error
		if m, _, err = OpenModel(path); err != nil {
			return nil, err
		}
	}
	n, err := e.Network(m, o)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return n, nil
}

// Describe describes a model (see OpenNetwork). It fails if the model cannot play the game.
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

	// The first call to network allocates the cache.
	network func() players.Network[S]
	server  *net.Server // nil before

	mu        sync.Mutex
	evaluator mcts.Evaluator[S] // nil before the first Evaluate
}

// Network prepares a model. It returns an error if the model cannot play the game.
func (e Typed[S]) Network(m *net.Model, o PlayerOptions) (Network, error) {
	var learned game.Game[S]
	if other, err := OpenRecorded(m.Game); err == nil {
		if same, ok := other.(Typed[S]); ok {
			learned = same.Rules
		}
	}
	weights, err := weightsFor(e.Rules, m, learned)
	if err != nil {
		return nil, err
	}
	search, err := TrainedSearch(m)
	if err != nil {
		return nil, err
	}
	info := ModelInfo{Game: m.Game, Iteration: m.Iteration, Simulations: search.Simulations}
	if o.Search != nil {
		search = o.Search(search)
	}
	adapted := *m
	adapted.Game, adapted.Weights = e.Rules.Name(), weights
	n := &typedNetwork[S]{engine: e, info: info, model: &adapted}
	n.network = sync.OnceValue(func() players.Network[S] {
		n.server = net.NewServer(o.Device, weights, deviceBatch)
		network := searched(e.Rules, n.server, search, evaluationBatch, cmp.Or(o.Megabytes, defaultMegabytes))
		if _, counted := any(e.Rules.Start()).(game.Scored); counted {
			network.Owners = ownersOf(e.Rules, weights)
		}
		return network
	})
	return n, nil
}

// Close frees what the network has on a device.
func (n *typedNetwork[S]) Close() {
	if n.server != nil {
		n.server.Close()
	}
}

// Info describes the model.
func (n *typedNetwork[S]) Info() ModelInfo { return n.info }

// Model returns the model that was prepared.
func (n *typedNetwork[S]) Model() *net.Model { return n.model }

// Evaluate returns what the bare network says of a position.
func (n *typedNetwork[S]) Evaluate(p Position) (policy []float32, value float32, err error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.evaluator == nil {
		if n.evaluator, err = n.network().Evaluator(); err != nil {
			return nil, 0, err
		}
	}
	policy, values := make([]float32, n.engine.Rules.Actions()), make([]float32, 1)
	err = n.evaluator.Evaluate([]S{n.engine.state(p)}, [][]float32{policy}, values)
	return policy, values[0], err
}

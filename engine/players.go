package engine

import (
	"fmt"
	"log"
	"slices"

	"tengen/mcts"
	"tengen/net"
	"tengen/players"
	"tengen/solver"
)

// PlayerOptions configure players.
type PlayerOptions struct {
	Search    func(trained mcts.Config) mcts.Config // changes the model's search constants; may be nil
	Megabytes int                                   // size of the evaluation cache; 0: 64
	Models    map[string]*net.Model                 // already loaded, by path in a SPEC
	Device    *net.Device                           // evaluates; nil: this processor
	Network   Network                               // replaces the SPEC's model; nil: load it
	Talk      *log.Logger                           // gets the talk with external engines; may be nil
}

// OpenFor returns the named game or, for "", the game of the first network among the players.
func OpenFor(name string, specs ...players.Spec) (Game, error) {
	if name != "" {
		return Open(name)
	}
	i := slices.IndexFunc(specs, func(s players.Spec) bool { return s.Kind == players.KindNet })
	if i < 0 {
		return nil, InputErrorf("which game? Name it with --game, such as --game connect4")
	}
	var e Game
	m, _, err := OpenModel(specs[i].Path)
	if err == nil {
		e, err = OpenRecorded(m.Game)
	}
	if err != nil {
		return nil, fmt.Errorf("player %q: %w", specs[i], err)
	}
	return e, nil
}

// Player makes the player for a SPEC. Errors name the SPEC.
func (e Typed[S]) Player(s players.Spec, o PlayerOptions) (Player, error) {
	builder := players.Builder[S]{
		Game:   e.Rules,
		Batch:  evaluationBatch,
		Talk:   o.Talk,
		Solver: func() (solver.Solver[S], error) { return e.Exact.New(DefaultSolverOptions()) },
		Open: func(path string) (players.Network[S], error) {
			n, err := o.Network, error(nil)
			if n == nil {
				n, err = OpenNetwork(e, path, o)
			}
			if err != nil {
				return players.Network[S]{}, err
			}
			return n.(*typedNetwork[S]).network(), nil
		},
	}
	p, err := builder.Build(s)
	if err != nil {
		return nil, err
	}
	return p, nil
}

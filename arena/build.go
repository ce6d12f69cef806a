package arena

import (
	"fmt"

	"tengen/game"
	"tengen/mcts"
)

// Builder turns the names of players into players of one game.
type Builder[S game.State[S]] struct {
	Game   game.Game[S]
	Search mcts.Config // of nets; its Simulations are those of a net whose SPEC names none
	Batch  int         // leaves in one evaluation of a net

	// Open reads the network at a path, a model file or a run's directory, and returns what makes an evaluator of it for
	// each goroutine. It is called once for each net built.
	Open func(path string) (func() (mcts.Evaluator[S], error), error)
}

// Build returns the player that the spec names. The error names the spec, and wraps that of Open.
func (b Builder[S]) Build(spec Spec) (Entrant[S], error) {
	switch spec.Kind {
	case Random:
		return entrant(spec, func() (Player[S], error) { return NewRandom[S](), nil }), nil
	case UCT:
		budget := mcts.Budget{Simulations: spec.Limit, Time: spec.Time}
		return entrant(spec, func() (Player[S], error) { return NewUCT[S](budget), nil }), nil
	case Net:
		return b.buildNet(spec)
	case Human:
		return Entrant[S]{}, fmt.Errorf("player %q cannot play here: there is nobody to ask for a move", spec)
	}
	return Entrant[S]{}, fmt.Errorf("player %q: unknown kind %q", spec, spec.Kind)
}

func (b Builder[S]) buildNet(spec Spec) (Entrant[S], error) {
	spec, evaluator, err := b.openNet(spec)
	if err != nil {
		return Entrant[S]{}, err
	}
	return entrant(spec, func() (Player[S], error) {
		ev, err := evaluator()
		if err != nil {
			return nil, fmt.Errorf("player %q: %w", spec, err)
		}
		return NewNet(b.Search, b.Game.Actions(), ev, spec.Limit, b.Batch), nil
	}), nil
}

// openNet opens the network of a spec and fills in the simulations that it may leave out.
func (b Builder[S]) openNet(spec Spec) (Spec, func() (mcts.Evaluator[S], error), error) {
	if spec.Limit == Unset {
		spec.Limit = b.Search.Simulations
	}
	evaluator, err := b.Open(spec.Path)
	if err != nil {
		return spec, nil, fmt.Errorf("player %q: %w", spec, err)
	}
	return spec, evaluator, nil
}

func entrant[S game.State[S]](spec Spec, factory Factory[S]) Entrant[S] {
	return Entrant[S]{Name: spec.String(), New: factory}
}

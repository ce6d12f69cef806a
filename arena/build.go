package arena

import (
	"context"
	"fmt"
	"sync"

	"tengen/game"
	"tengen/mcts"
	"tengen/solver"
)

// Builder turns the names of players into players of one game.
type Builder[S game.State[S]] struct {
	Game   game.Game[S]
	Search mcts.Config // of nets; its Simulations are those of a net whose SPEC names none
	Batch  int         // leaves in one evaluation of a net

	// Open reads the network at a path, a model file or a run's directory, and returns what makes an evaluator of it for
	// each goroutine. It is called once for each net built.
	Open func(path string) (func() (mcts.Evaluator[S], error), error)

	// Solver returns a new solver, the strongest that there is for the game. nil where there is none.
	Solver func() (solver.Solver[S], error)
}

// tablePositions is the size of the largest game that Minimax plans: 4x4 boards have less than that.
const tablePositions = 10_000_000

// Build returns the player that the spec names. The error names the spec, and wraps that of Open.
func (b Builder[S]) Build(spec Spec) (Entrant[S], error) {
	switch spec.Kind {
	case KindRandom:
		return entrant(spec, func() (Player[S], error) { return NewRandom[S](), nil }), nil
	case KindUCT:
		budget := mcts.Budget{Simulations: spec.Limit, Time: spec.Time}
		return entrant(spec, func() (Player[S], error) { return NewUCT[S](budget), nil }), nil
	case KindNet:
		return b.buildNet(spec)
	case KindMinimax, KindSolver:
		open := b.openSolver(spec)
		return entrant(spec, func() (Player[S], error) {
			s, err := open()
			if err != nil {
				return nil, err
			}
			return NewExact(s), nil
		}), nil
	case KindAlphaBeta:
		return entrant(spec, func() (Player[S], error) {
			s, err := b.openSearcher(spec)
			if err != nil {
				return nil, err
			}
			return NewAlphaBeta(s, solver.Limit{Depth: spec.Limit, Time: spec.Time}), nil
		}), nil
	case KindHuman:
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

// openSolver returns what makes a solver for each goroutine. The table of Minimax is planned once, by the first that asks.
func (b Builder[S]) openSolver(spec Spec) func() (solver.Solver[S], error) {
	open := b.Solver
	if spec.Kind == KindMinimax {
		plan := sync.OnceValues(func() (*solver.Tablebase[S], error) {
			return solver.NewTablebase(context.Background(), b.Game, tablePositions)
		})
		open = func() (solver.Solver[S], error) { return plan() }
	}
	return func() (solver.Solver[S], error) {
		if open == nil {
			return nil, fmt.Errorf("player %q: there is no solver for %s", spec, b.Game.Name())
		}
		s, err := open()
		if err != nil {
			return nil, fmt.Errorf("player %q: %w", spec, err)
		}
		return s, nil
	}
}

func (b Builder[S]) openSearcher(spec Spec) (*solver.Searcher[S], error) {
	s, err := solver.NewSearcher(b.Game, solver.Default())
	if err != nil {
		return nil, fmt.Errorf("player %q: %w", spec, err)
	}
	return s, nil
}

func entrant[S game.State[S]](spec Spec, factory Factory[S]) Entrant[S] {
	return Entrant[S]{Name: spec.String(), New: factory}
}

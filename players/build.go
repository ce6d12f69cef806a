package players

import (
	"errors"
	"fmt"
	"math"

	"tengen/game"
	"tengen/mcts"
	"tengen/solver"
)

// Builder turns the names of players into players of one game.
type Builder[S game.State[S]] struct {
	Game  game.Game[S]
	Batch int // leaves in one evaluation of an entrant's net; of a thinker's, Options say

	// Open reads the network at a path, a model file or a run's directory. It is called once for each net built.
	Open func(path string) (Network[S], error)

	// Solver returns a new solver, the strongest that there is for the game. nil where there is none.
	Solver func() (solver.Solver[S], error)
}

// Network is a network that players search with.
type Network[S game.State[S]] struct {
	Search    mcts.Config                       // its Simulations are those of a net whose SPEC names none
	Evaluator func() (mcts.Evaluator[S], error) // makes one for each goroutine
}

// Factory makes players of one SPEC. It is safe for concurrent use, and so are its functions.
type Factory[S game.State[S]] struct {
	Name  string // in results and errors, usually Spec.String
	Limit Limit  // of a move, as the SPEC says
	// New makes an answerer for one goroutine, which obeys Limit.
	New func() (Answerer[S], error)
	// Think makes a thinker. It takes any limit; only the depth of alphabeta:DEPTH and the bare policy of net:PATH:0 are fixed.
	Think func(Options) (*Thinker[S], error)
}

// Build returns the factory for a SPEC. Errors, those of the factory too, name the SPEC. A file that Open cannot read fails here,
// a missing solver when a player is made.
func (b Builder[S]) Build(spec Spec) (Factory[S], error) {
	newPlayer, limit, err := b.kind(&spec)
	if err != nil {
		return Factory[S]{}, fmt.Errorf("player %q: %w", spec, err)
	}
	return Factory[S]{
		Name: spec.String(), Limit: limit,
		New: func() (Answerer[S], error) {
			p, err := newPlayer(means{evaluators: 1, batch: b.Batch, nodes: math.MaxInt32})
			if err != nil {
				return nil, fmt.Errorf("player %q: %w", spec, err)
			}
			return &within[S]{player: p, limit: limit}, nil
		},
		Think: func(o Options) (*Thinker[S], error) {
			if err := o.Validate(); err != nil {
				return nil, err
			}
			p, err := newPlayer(means{o.Threads, o.Batch, o.nodes(b.Game.Actions()), leavesInFlight})
			if err != nil {
				return nil, fmt.Errorf("player %q: %w", spec, err)
			}
			return newThinker(b.Game, p, o), nil
		},
	}, nil
}

// means are what a player works with.
type means struct {
	evaluators int                // or trees of UCT
	batch      int                // leaves in one evaluation
	nodes      int                // simulations in a tree, at most
	inFlight   func(size int) int // see mcts.DriveOptions
}

// maker makes a player for each goroutine that needs one.
type maker[S game.State[S]] func(means) (Player[S], error)

// kind has a case for each kind of player. It returns what makes one, and the limit of a move. It fills in what the spec leaves to
// the player.
func (b Builder[S]) kind(spec *Spec) (maker[S], Limit, error) {
	actions, limit := b.Game.Actions(), Limit{Simulations: spec.Limit, Time: spec.Time}
	switch spec.Kind {
	case KindRandom:
		return func(means) (Player[S], error) { return newRandom[S](actions), nil }, limit, nil
	case KindUCT:
		return func(m means) (Player[S], error) { return newUCT[S](actions, m), nil }, limit, nil
	case KindNet:
		return b.net(spec)
	case KindMinimax:
		table := newPlanned(b.Game)
		return func(means) (Player[S], error) { return newExact(actions, table), nil }, limit, nil
	case KindSolver:
		return b.solver, limit, nil
	case KindAlphaBeta:
		depth := spec.Limit
		return func(means) (Player[S], error) { return newAlphaBeta(b.Game, depth) }, Limit{Time: spec.Time}, nil
	case KindHuman:
		return nil, limit, errors.New("there is nobody to ask for a move")
	}
	return nil, limit, fmt.Errorf("unknown kind %q", spec.Kind)
}

// net is the case of a network.
func (b Builder[S]) net(spec *Spec) (maker[S], Limit, error) {
	network, err := b.Open(spec.Path)
	if err != nil {
		return nil, Limit{}, err
	}
	if spec.Limit == Unset {
		spec.Limit = network.Search.Simulations
	}
	limit := Limit{Simulations: spec.Limit, Time: spec.Time}
	return func(m means) (Player[S], error) {
		if limit == (Limit{}) {
			m.evaluators = 1
		}
		evaluators := make([]mcts.Evaluator[S], m.evaluators)
		for i := range evaluators {
			var err error
			if evaluators[i], err = network.Evaluator(); err != nil {
				return nil, err
			}
		}
		if limit == (Limit{}) {
			return newPolicy(b.Game.Actions(), evaluators[0], m.batch), nil
		}
		return newNet(network.Search, b.Game.Actions(), evaluators, m), nil
	}, limit, nil
}

// solver is the case of the strongest solver.
func (b Builder[S]) solver(means) (Player[S], error) {
	if b.Solver == nil {
		return nil, fmt.Errorf("there is no solver for %s", b.Game.Name())
	}
	s, err := b.Solver()
	if err != nil {
		return nil, err
	}
	return newExact(b.Game.Actions(), s), nil
}

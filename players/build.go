package players

import (
	"cmp"
	"fmt"
	"log"
	"sync"

	"tengen/game"
	"tengen/mcts"
	"tengen/mcts/uct"
	"tengen/players/external"
	"tengen/solver"
)

// Builder builds the players of one game.
type Builder[S game.State[S]] struct {
	Game  game.Game[S]
	Batch int // leaves per evaluation of an Answerer's net; thinkers use Options.Batch

	// Open reads the network at a path: a model file or a run directory. Each net player built calls it once.
	Open func(path string) (Network[S], error)

	Talk *log.Logger // gets what is said to external engines and what they answer; nil: nothing does

	// Solver returns a new instance of the game's strongest solver. It is nil if the game has none.
	Solver func() (solver.Solver[S], error)
}

// Network is a network for use in a search.
type Network[S game.State[S]] struct {
	Search    mcts.Config                       // Simulations applies if the SPEC names no limit
	Evaluator func() (mcts.Evaluator[S], error) // one per goroutine

	// Owners guesses who will hold each cell, see Detail. It is safe for concurrent use, and nil if the network or the
	// game knows no such thing.
	Owners func(S) []float32
}

// Player is what a SPEC names. It and its functions are safe for concurrent use.
type Player[S game.State[S]] struct {
	Name  string // for results and errors, usually Spec.String
	Limit Limit  // limit per move from the SPEC
	// Program is the external engine that plays; nil for other players. Its processes run until Close.
	Program *external.Command
	// Policy returns the player's network without search; nil for other players, and if it does not search.
	Policy func() (Player[S], error)
	// New makes an answerer that obeys Limit, for one goroutine.
	New func() (Answerer[S], error)
	// Think makes a thinker. Only alphabeta:DEPTH and net:PATH:0 keep the SPEC's limit.
	Think func(Options) (*Thinker[S], error)
}

// String returns the Name.
func (p Player[S]) String() string { return p.Name }

// Close ends the external engines that answerers and thinkers of the player have started. These must not be asked
// again; others may be made.
func (p Player[S]) Close() {
	if p.Program != nil {
		p.Program.Close()
	}
}

// Build returns the player of a SPEC. All errors name the SPEC. Build fails if Open does; a missing solver fails later,
// in New or Think.
func (b Builder[S]) Build(spec Spec) (Player[S], error) {
	open := b.Open
	opened := sync.OnceValues(func() (Network[S], error) { return open(spec.Path) })
	b.Open = func(string) (Network[S], error) { return opened() }
	var command *external.Command
	if spec.IsProgram() {
		var err error
		if command, err = external.ParseCommand(string(spec.Kind), spec.Path); err != nil {
			return Player[S]{}, fmt.Errorf("player %q: %w", spec, err)
		}
	}
	newAlgorithm, limit, err := b.algorithm(&spec, command)
	if err != nil {
		return Player[S]{}, fmt.Errorf("player %q: %w", spec, err)
	}
	p := Player[S]{
		Name: spec.String(), Limit: limit, Program: command,
		New: func() (Answerer[S], error) {
			a, err := newAlgorithm(Options{Threads: 1, Batch: b.Batch, MaxNodes: Nodes(TreeMegabytes, b.Game.Actions())})
			if err != nil {
				return nil, fmt.Errorf("player %q: %w", spec, err)
			}
			return &answerer[S]{algorithm: a, limit: limit}, nil
		},
		Think: func(o Options) (*Thinker[S], error) {
			if err := o.Validate(); err != nil {
				return nil, err
			}
			o.MaxNodes, o.speculative = o.nodes(b.Game.Actions()), true
			a, err := newAlgorithm(o)
			if err != nil {
				return nil, fmt.Errorf("player %q: %w", spec, err)
			}
			return newThinker(b.Game, a, o), nil
		},
	}
	if spec.Kind == KindNet && limit != (Limit{}) {
		p.Policy = func() (Player[S], error) { return b.Build(Spec{Kind: KindNet, Path: spec.Path}) }
	}
	return p, nil
}

// algorithm returns a spec's limit, and a function that makes its algorithm from Threads, Batch and MaxNodes of the
// Options. It fills in values the spec leaves open.
func (b Builder[S]) algorithm(spec *Spec, command *external.Command) (func(Options) (Algorithm[S], error), Limit, error) {
	actions, limit := b.Game.Actions(), Limit{Simulations: spec.Limit, Time: spec.Time}
	switch spec.Kind {
	case KindRandom:
		return func(Options) (Algorithm[S], error) { return newRandom[S](actions), nil }, limit, nil
	case KindUCT:
		exploration := cmp.Or(spec.Exploration, uct.DefaultExploration)
		return func(o Options) (Algorithm[S], error) { return newUCT[S](actions, exploration, o.MaxNodes), nil }, limit, nil
	case KindNet:
		return b.net(spec)
	case KindSolver:
		return b.solver, limit, nil
	case KindAlphaBeta:
		depth := spec.Limit
		return func(Options) (Algorithm[S], error) { return newAlphaBeta(b.Game, depth) }, Limit{Time: spec.Time}, nil
	case KindGTP, KindUCI, KindGomocup:
		return func(Options) (Algorithm[S], error) { return programs[S]{b.Game, command, b.Talk}, nil }, limit, nil
	case KindHuman:
		return nil, limit, spec.CheckEngine()
	}
	return nil, limit, fmt.Errorf("unknown kind %q", spec.Kind)
}

func (b Builder[S]) net(spec *Spec) (func(Options) (Algorithm[S], error), Limit, error) {
	network, err := b.Open(spec.Path)
	if err != nil {
		return nil, Limit{}, err
	}
	if spec.Limit == Unset {
		spec.Limit = network.Search.Simulations
	}
	limit := Limit{Simulations: spec.Limit, Time: spec.Time}
	return func(o Options) (Algorithm[S], error) {
		if limit == (Limit{}) {
			o.Threads = 1
		}
		evaluators := make([]mcts.Evaluator[S], o.Threads)
		for i := range evaluators {
			var err error
			if evaluators[i], err = network.Evaluator(); err != nil {
				return nil, err
			}
		}
		if limit == (Limit{}) {
			return newPolicy(b.Game.Actions(), evaluators[0], o.Batch), nil
		}
		return newNet(network, b.Game.Actions(), evaluators, o), nil
	}, limit, nil
}

func (b Builder[S]) solver(Options) (Algorithm[S], error) {
	if b.Solver == nil {
		return nil, fmt.Errorf("there is no solver for %s", b.Game.Name())
	}
	s, err := b.Solver()
	if err != nil {
		return nil, err
	}
	return newExact(b.Game.Actions(), s), nil
}

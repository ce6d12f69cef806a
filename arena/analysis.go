package arena

import (
	"context"
	"fmt"
	"math/rand/v2"

	"tengen/game"
	"tengen/mcts"
	"tengen/mcts/uct"
	"tengen/solver"
)

// Analysis is what a player thinks of one position. Values are for the side to move.
type Analysis struct {
	Best        game.Action
	Value       float32     // in [-1, 1]
	Proven      mcts.Result // Unknown where the player proves nothing
	Moves       []mcts.Stat // the legal moves, by ascending action
	Policy      []float32   // [Actions]: share of each move, summing to 1
	PV          []game.Action
	Simulations int // or playouts
}

// Analyst explains its moves, one position at a time. It is not safe for concurrent use.
type Analyst[S game.State[S]] interface {
	// Analyze searches s, which must not be over. When ctx ends first, it returns an error.
	Analyze(ctx context.Context, s S, rng *rand.Rand) (*Analysis, error)
}

// Analyst returns the player that the spec names in the role of an analyst. Its moves have the strength of the player
// that Build makes, but not always the same values: on one position alone, a net searches several leaves at once.
func (b Builder[S]) Analyst(spec Spec) (Analyst[S], error) {
	switch spec.Kind {
	case KindRandom:
		return randomAnalyst[S]{b.Game.Actions()}, nil
	case KindUCT:
		budget := mcts.Budget{Simulations: spec.Limit, Time: spec.Time}
		return &uctAnalyst[S]{uct.New[S](uct.DefaultExploration), budget, b.Game.Actions()}, nil
	case KindNet:
		spec, evaluator, err := b.openNet(spec)
		if err != nil {
			return nil, err
		}
		ev, err := evaluator()
		if err != nil {
			return nil, fmt.Errorf("player %q: %w", spec, err)
		}
		return newNetAnalyst(b.Search, b.Game.Actions(), ev, spec.Limit), nil
	case KindMinimax, KindSolver:
		s, err := b.openSolver(spec)()
		if err != nil {
			return nil, err
		}
		return &exactAnalyst[S]{s, b.Game.Actions()}, nil
	case KindAlphaBeta:
		s, err := b.openSearcher(spec)
		if err != nil {
			return nil, err
		}
		return &alphaBetaAnalyst[S]{s, solver.Limit{Depth: spec.Limit, Time: spec.Time}, b.Game.Actions()}, nil
	}
	return nil, fmt.Errorf("player %q cannot analyze positions", spec)
}

type netAnalyst[S game.State[S]] struct {
	search      *mcts.Search[S]
	evaluator   mcts.Evaluator[S]
	simulations int
	actions     int
}

func newNetAnalyst[S game.State[S]](cfg mcts.Config, actions int, ev mcts.Evaluator[S], simulations int) *netAnalyst[S] {
	cfg.Simulations = simulations
	return &netAnalyst[S]{mcts.New[S](cfg, actions), ev, simulations, actions}
}

// leavesInFlight keeps several leaves of one tree in flight where the search is long enough not to suffer from it.
func leavesInFlight(simulations int) int { return min(8, 1+simulations/100) }

// Analyze implements Analyst.
func (p *netAnalyst[S]) Analyze(ctx context.Context, s S, rng *rand.Rand) (*Analysis, error) {
	if p.simulations == 0 {
		return p.glance(s, rng)
	}
	p.search.Reset(s)
	if err := mcts.Run(ctx, p.search, p.evaluator, mcts.Budget{}, leavesInFlight(p.simulations)); err != nil {
		return nil, err
	}
	var d mcts.Decision
	p.search.Decide(0, rng, &d)
	a := &Analysis{
		Value:       d.Value,
		Proven:      d.Proven,
		Moves:       p.search.Stats(nil),
		Policy:      d.Policy,
		PV:          p.search.PV(nil),
		Simulations: p.search.Simulations(),
	}
	a.settle(d.Action)
	return a, nil
}

// glance is the network's opinion without any search.
func (p *netAnalyst[S]) glance(s S, rng *rand.Rand) (*Analysis, error) {
	a := &Analysis{Policy: make([]float32, p.actions)}
	values := make([]float32, 1)
	if err := p.evaluator.Evaluate([]S{s}, [][]float32{a.Policy}, values); err != nil {
		return nil, err
	}
	a.Value = values[0]
	for _, m := range s.Legal(nil) {
		a.Moves = append(a.Moves, mcts.Stat{Action: m, Prior: a.Policy[m]})
	}
	a.decide(rng)
	return a, nil
}

type uctAnalyst[S game.State[S]] struct {
	search  *uct.Search[S]
	budget  mcts.Budget
	actions int
}

// Analyze implements Analyst.
func (p *uctAnalyst[S]) Analyze(ctx context.Context, s S, rng *rand.Rand) (*Analysis, error) {
	p.search.Reset(s)
	if err := p.search.Run(ctx, p.budget, rng); err != nil {
		return nil, err
	}
	a := &Analysis{
		Value:       p.search.Value(),
		Moves:       p.search.Stats(nil),
		Policy:      make([]float32, p.actions),
		PV:          p.search.PV(nil),
		Simulations: p.search.Playouts(),
	}
	for _, m := range a.Moves {
		a.Policy[m.Action] = float32(m.Visits)
	}
	a.decide(rng)
	return a, nil
}

type randomAnalyst[S game.State[S]] struct{ actions int }

// Analyze implements Analyst.
func (p randomAnalyst[S]) Analyze(_ context.Context, s S, rng *rand.Rand) (*Analysis, error) {
	legal := s.Legal(nil)
	a := &Analysis{Policy: make([]float32, p.actions)}
	for _, m := range legal {
		prior := 1 / float32(len(legal))
		a.Moves = append(a.Moves, mcts.Stat{Action: m, Prior: prior})
		a.Policy[m] = prior
	}
	a.decide(rng)
	return a, nil
}

// decide settles on the move of the largest weight, equal ones by chance.
func (a *Analysis) decide(rng *rand.Rand) { a.settle(mcts.SelectMove(a.Policy, 0, rng)) }

// settle sets the best move, with which the PV begins, and turns the weights of Policy into shares.
func (a *Analysis) settle(best game.Action) {
	a.Best = best
	if len(a.PV) == 0 || a.PV[0] != a.Best {
		a.PV = []game.Action{a.Best}
	}
	sum := float32(0)
	for _, p := range a.Policy {
		sum += p
	}
	for i := range a.Policy {
		a.Policy[i] /= sum
	}
}

package players

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"tengen/game"
	"tengen/mcts"
)

// NewNet returns a player that searches each position within the budget and plays the most visited move, or a proven win;
// the search's LCB may choose another. There is no noise and no temperature: only equally good moves are left to chance.
// Actions is that of game.Game.Actions.
//
// A budget of simulations alone is spent on all positions of a call in lockstep, batch being the largest number of leaves,
// roots apart, in one evaluation. A budget with a time is spent on one position after the other, and needs a core to itself to mean the
// same everywhere. An empty budget plays the evaluator's policy without any search: the move of highest prior after one
// evaluation.
//
// Where ev is an mcts.RootEvaluator, the positions are evaluated as roots.
func NewNet[S game.State[S]](cfg mcts.Config, actions int, ev mcts.Evaluator[S], budget mcts.Budget, batch int) Player[S] {
	if budget.Simulations < 0 || budget.Time < 0 || batch < 1 {
		panic(fmt.Sprintf("players: net player with a budget of %+v in batches of %d", budget, batch))
	}
	if budget == (mcts.Budget{}) {
		return &policyOnly[S]{evaluator: mcts.Roots(ev), actions: actions}
	}
	if cfg.Simulations = budget.Simulations; cfg.Simulations == 0 {
		cfg.Simulations = math.MaxInt32 // until the time is over
	}
	return &netPlayer[S]{config: cfg, actions: actions, evaluator: ev, budget: budget, batch: batch}
}

type netPlayer[S game.State[S]] struct {
	config    mcts.Config
	actions   int
	evaluator mcts.Evaluator[S]
	budget    mcts.Budget
	batch     int
	searches  []*mcts.Search[S] // as many as there were positions in the largest call
	decision  mcts.Decision     // scratch
}

// Choose implements Player.
func (p *netPlayer[S]) Choose(ctx context.Context, positions []S, rngs []*rand.Rand, moves []game.Action) error {
	searches, err := p.search(ctx, positions)
	if err != nil {
		return err
	}
	for i, search := range searches {
		search.Decide(0, rngs[i], &p.decision)
		moves[i] = p.decision.Action
	}
	return nil
}

// Analyze implements Player.
func (p *netPlayer[S]) Analyze(ctx context.Context, positions []S, rngs []*rand.Rand, dst []*Analysis) error {
	searches, err := p.search(ctx, positions)
	if err != nil {
		return err
	}
	for i, search := range searches {
		var d mcts.Decision
		search.Decide(0, rngs[i], &d)
		a := &Analysis{
			Value:       d.Value,
			Proven:      d.Proven,
			Moves:       search.Stats(nil),
			Policy:      d.Policy,
			PV:          search.PV(nil),
			Simulations: search.Simulations(),
		}
		dst[i] = a.Conclude(d.Action)
	}
	return nil
}

// search spends the budget on each position and returns a finished search of each. There is never more than one leaf of a
// tree in flight, so a tree without a limit of time does not depend on the others.
func (p *netPlayer[S]) search(ctx context.Context, positions []S) ([]*mcts.Search[S], error) {
	for len(p.searches) < len(positions) {
		p.searches = append(p.searches, mcts.New[S](p.config, p.actions))
	}
	searches := p.searches[:len(positions)]
	for i, s := range positions {
		searches[i].Reset(s)
	}
	if err := mcts.OpenRoots(searches, p.evaluator); err != nil {
		return nil, err
	}
	if p.budget.Time == 0 {
		return searches, mcts.Lockstep(ctx, searches, p.evaluator, p.batch)
	}
	for _, search := range searches {
		if err := mcts.Run(ctx, search, p.evaluator, p.budget, 1); err != nil {
			return nil, err
		}
	}
	return searches, nil
}

// policyOnly plays and says what the network does, without any search.
type policyOnly[S game.State[S]] struct {
	evaluator mcts.Evaluator[S]
	actions   int
	priors    [][]float32 // [largest call][actions], scratch
	values    []float32   // [largest call], scratch
}

// Choose implements Player.
func (p *policyOnly[S]) Choose(_ context.Context, positions []S, rngs []*rand.Rand, moves []game.Action) error {
	if err := p.evaluate(positions); err != nil {
		return err
	}
	for i := range positions {
		moves[i] = mcts.SelectMove(p.priors[i], 0, rngs[i])
	}
	return nil
}

// Analyze implements Player.
func (p *policyOnly[S]) Analyze(_ context.Context, positions []S, rngs []*rand.Rand, dst []*Analysis) error {
	if err := p.evaluate(positions); err != nil {
		return err
	}
	for i, s := range positions {
		a := &Analysis{Value: p.values[i], Policy: slices.Clone(p.priors[i])}
		for _, m := range s.Legal(nil) {
			a.Moves = append(a.Moves, mcts.Stat{Action: m, Prior: a.Policy[m]})
		}
		dst[i] = a.Conclude(mcts.SelectMove(a.Policy, 0, rngs[i]))
	}
	return nil
}

// evaluate sets a prior and a value for each position.
func (p *policyOnly[S]) evaluate(positions []S) error {
	n := len(positions)
	for len(p.priors) < n {
		p.priors = append(p.priors, make([]float32, p.actions))
		p.values = append(p.values, 0)
	}
	return p.evaluator.Evaluate(positions, p.priors[:n], p.values[:n])
}

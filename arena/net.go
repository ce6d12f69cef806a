package arena

import (
	"context"
	"fmt"
	"math/rand/v2"

	"tengen/game"
	"tengen/mcts"
)

// NewNet returns a player that searches all positions of a call in lockstep and plays the most visited move of each, or a
// proven win. There is no noise and no temperature: only equally visited moves are left to chance. Batch is the number of
// leaves in one evaluation, actions that of game.Game.Actions. 0 simulations play the evaluator's policy without any
// search: the move of highest prior after one evaluation.
func NewNet[S game.State[S]](cfg mcts.Config, actions int, ev mcts.Evaluator[S], simulations, batch int) Player[S] {
	if simulations < 0 || batch < 1 {
		panic(fmt.Sprintf("arena: net player with %d simulations in batches of %d", simulations, batch))
	}
	if simulations == 0 {
		return &policyPlayer[S]{evaluator: ev, actions: actions}
	}
	cfg.Simulations = simulations
	return &netPlayer[S]{config: cfg, actions: actions, evaluator: ev, batch: batch}
}

type netPlayer[S game.State[S]] struct {
	config    mcts.Config
	actions   int
	evaluator mcts.Evaluator[S]
	batch     int
	searches  []*mcts.Search[S] // as many as there were positions in the largest call
	decision  mcts.Decision     // scratch
}

// Choose implements Player.
func (p *netPlayer[S]) Choose(ctx context.Context, positions []S, rngs []*rand.Rand, moves []game.Action) error {
	for len(p.searches) < len(positions) {
		p.searches = append(p.searches, mcts.New[S](p.config, p.actions))
	}
	searches := p.searches[:len(positions)]
	for i, s := range positions {
		searches[i].Reset(s)
	}
	if err := mcts.Lockstep(ctx, searches, p.evaluator, p.batch); err != nil {
		return err
	}
	for i, search := range searches {
		search.Decide(0, rngs[i], &p.decision)
		moves[i] = p.decision.Action
	}
	return nil
}

type policyPlayer[S game.State[S]] struct {
	evaluator mcts.Evaluator[S]
	actions   int
	priors    [][]float32 // [largest call][actions]
	values    []float32
}

// Choose implements Player.
func (p *policyPlayer[S]) Choose(_ context.Context, positions []S, rngs []*rand.Rand, moves []game.Action) error {
	n := len(positions)
	for len(p.priors) < n {
		p.priors = append(p.priors, make([]float32, p.actions))
		p.values = append(p.values, 0)
	}
	if err := p.evaluator.Evaluate(positions, p.priors[:n], p.values[:n]); err != nil {
		return err
	}
	for i, prior := range p.priors[:n] {
		moves[i] = mcts.SelectMove(prior, 0, rngs[i])
	}
	return nil
}

package arena

import (
	"context"
	"math/rand/v2"

	"tengen/game"
	"tengen/mcts"
	"tengen/mcts/uct"
)

// NewUCT returns a player that searches each position by plain UCT within the budget and plays the most visited move. A
// budget of time is for each position, one after the other, and needs a core to itself to mean the same everywhere. It
// panics when the budget sets no limit.
func NewUCT[S game.State[S]](budget mcts.Budget) Player[S] {
	if budget == (mcts.Budget{}) {
		panic("arena: UCT player without a budget")
	}
	return &uctPlayer[S]{search: uct.New[S](uct.DefaultExploration), budget: budget}
}

type uctPlayer[S game.State[S]] struct {
	search *uct.Search[S]
	budget mcts.Budget
}

// Choose implements Player.
func (p *uctPlayer[S]) Choose(ctx context.Context, positions []S, rngs []*rand.Rand, moves []game.Action) error {
	for i, s := range positions {
		p.search.Reset(s)
		if err := p.search.Run(ctx, p.budget, rngs[i]); err != nil {
			return err
		}
		moves[i] = p.search.Best(rngs[i])
	}
	return nil
}

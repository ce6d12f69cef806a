package arena

import (
	"context"
	"math/rand/v2"

	"tengen/game"
	"tengen/mcts"
	"tengen/solver"
)

// NewAlphaBeta returns a player that searches each position by alpha-beta within the limit, one after the other, and
// leaves equally good moves to chance. A limit of time needs a core to itself to mean the same everywhere. The searcher
// belongs to the player.
func NewAlphaBeta[S game.State[S]](s *solver.Searcher[S], limit solver.Limit) Player[S] {
	return &alphaBetaPlayer[S]{s, limit}
}

type alphaBetaPlayer[S game.State[S]] struct {
	searcher *solver.Searcher[S]
	limit    solver.Limit
}

// Choose implements Player.
func (p *alphaBetaPlayer[S]) Choose(ctx context.Context, positions []S, rngs []*rand.Rand, moves []game.Action) error {
	for i, s := range positions {
		result, err := p.searcher.Search(ctx, s, p.limit)
		if err != nil {
			return err
		}
		best := result.Best()
		moves[i] = best[rngs[i].IntN(len(best))].Action
	}
	return nil
}

// alphaBetaAnalyst explains what alpha-beta has found: Simulations are the positions visited. An estimate says too little
// of who will win to be a value, so what is not proven has the value 0.
type alphaBetaAnalyst[S game.State[S]] struct {
	searcher *solver.Searcher[S]
	limit    solver.Limit
	actions  int
}

// Analyze implements Analyst.
func (p *alphaBetaAnalyst[S]) Analyze(ctx context.Context, s S, rng *rand.Rand) (*Analysis, error) {
	result, err := p.searcher.Search(ctx, s, p.limit)
	if err != nil {
		return nil, err
	}
	a := &Analysis{Policy: make([]float32, p.actions), Simulations: int(result.Nodes)}
	score := result.Moves[0].Value.Score()
	if a.Value = float32(score.Sign()); result.Proven {
		a.Proven = resultOf(score)
	}
	for _, m := range s.Legal(nil) {
		a.Moves = append(a.Moves, mcts.Stat{Action: m})
	}
	for _, m := range result.Best() {
		a.Policy[m.Action] = 1
	}
	a.decide(rng)
	return a, nil
}

package arena

import (
	"context"
	"math/rand/v2"
	"slices"

	"tengen/game"
	"tengen/mcts"
	"tengen/solver"
)

// NewExact returns a player that makes no mistake: it wins as soon as possible, loses as late as possible, and leaves
// equally good moves to chance. The solver belongs to the player.
func NewExact[S game.State[S]](s solver.Solver[S]) Player[S] { return &exactPlayer[S]{solver: s} }

type exactPlayer[S game.State[S]] struct{ solver solver.Solver[S] }

// Choose implements Player.
func (p *exactPlayer[S]) Choose(ctx context.Context, positions []S, rngs []*rand.Rand, moves []game.Action) error {
	for i, s := range positions {
		best, err := solver.Best(ctx, p.solver, s)
		if err != nil {
			return err
		}
		moves[i] = best[rngs[i].IntN(len(best))]
	}
	return nil
}

// exactAnalyst explains what an exact player knows: Simulations are the positions that the solver visited.
type exactAnalyst[S game.State[S]] struct {
	solver  solver.Solver[S]
	actions int
}

// Analyze implements Analyst.
func (p *exactAnalyst[S]) Analyze(ctx context.Context, s S, rng *rand.Rand) (*Analysis, error) {
	before := p.solver.Nodes()
	legal := s.Legal(nil)
	scores, err := solver.Moves(ctx, p.solver, s, legal)
	if err != nil {
		return nil, err
	}
	best := slices.Max(scores)
	a := &Analysis{
		Value:       float32(best.Sign()),
		Proven:      resultOf(best),
		Policy:      make([]float32, p.actions),
		Simulations: int(p.solver.Nodes() - before),
	}
	for i, m := range legal {
		a.Moves = append(a.Moves, mcts.Stat{Action: m, Q: float32(scores[i].Sign()), Proven: resultOf(scores[i])})
		if scores[i] == best {
			a.Policy[m] = 1
		}
	}
	a.decide(rng)
	return a, nil
}

// resultOf is who wins according to a score.
func resultOf(s solver.Score) mcts.Result { return mcts.Draw + mcts.Result(s.Sign()) }

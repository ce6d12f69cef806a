package players

import (
	"context"

	"tengen/game"
	"tengen/solver"
)

// tablePositions is the size of the largest game that is planned: 4x4 boards have less than that.
const tablePositions = 10_000_000

// planned solves a game by the plan of all of it. That is made by the first questions, which may take minutes together, so that each
// ends with the context of who asks; then answers are looked up. It is safe for concurrent use.
type planned[S game.State[S]] struct {
	planner *solver.Planner[S]
	turn    chan struct{} // holds something while the planner is used
}

func newPlanned[S game.State[S]](g game.Game[S]) *planned[S] {
	return &planned[S]{solver.NewPlanner(g, tablePositions), make(chan struct{}, 1)}
}

// Solve implements solver.Solver. A game that is too large is an error.
func (p *planned[S]) Solve(ctx context.Context, s S) (solver.Score, error) {
	table, err := p.plan(ctx)
	if err != nil {
		return 0, err
	}
	return table.Solve(ctx, s)
}

func (p *planned[S]) plan(ctx context.Context) (*solver.Tablebase[S], error) {
	select {
	case p.turn <- struct{}{}:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	defer func() { <-p.turn }()
	return p.planner.Plan(ctx)
}

// Nodes implements solver.Solver: to look an answer up visits no position.
func (p *planned[S]) Nodes() uint64 { return 0 }

package arena

import (
	"context"
	"sync"

	"tengen/game"
	"tengen/solver"
)

// tablePositions is the size of the largest game that is planned: 4x4 boards have less than that.
const tablePositions = 10_000_000

// planned solves a game by the plan of all of it. That is made at the first question, which may take minutes, so that it ends with the
// context of who asks; then answers are looked up. It is safe for concurrent use.
type planned[S game.State[S]] struct {
	game game.Game[S]

	mu    sync.Mutex
	table *solver.Tablebase[S] // nil before
}

// Solve implements solver.Solver. A game that is too large is an error.
func (p *planned[S]) Solve(ctx context.Context, s S) (solver.Score, error) {
	table, err := p.plan(ctx)
	if err != nil {
		return 0, err
	}
	return table.Solve(ctx, s)
}

func (p *planned[S]) plan(ctx context.Context) (_ *solver.Tablebase[S], err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.table == nil {
		p.table, err = solver.NewTablebase(ctx, p.game, tablePositions)
	}
	return p.table, err
}

// Nodes implements solver.Solver: to look an answer up visits no position.
func (p *planned[S]) Nodes() uint64 { return 0 }

// Package mnk solves m,n,k games on boards of up to 64 cells.
//
// The search asks whether one side, the attacker, wins within n plies. The defender only has to survive, so the search
// can ignore most of the board:
//
//   - The defender must answer a threat to complete a line at once, and cannot answer two (a fork). While the attacker
//     could fork, only cells that spoil each fork, and the defender's threats, need a search.
//   - A weighted count of the open lines bounds from below how soon the attacker wins, often by never (see
//     census.fastest).
//   - A refutation includes the smallest distance at which the attacker might still win, where the next search begins.
//
// Solve asks for both sides in turn, nearest distance first. A table keeps bounds and folds symmetric positions.
package mnk

import (
	"context"
	"fmt"

	"tengen/game/mnk"
	"tengen/internal/eventloop"
	"tengen/solver"
)

// maxCells is the largest board: one bit per cell.
const maxCells = 64

// Solver is a solver.Solver[mnk.State] for one board that keeps its table. It is not safe for concurrent use.
type Solver struct {
	cells int
	board *board
	table *transpositionTable
	nodes uint64

	ctx context.Context // of the current Solve
	err error           // why the search must stop
}

var _ solver.Solver[mnk.State] = (*Solver)(nil)

// New returns a solver for the board with a table of tableEntries positions, at least 2, of 24 bytes, rounded down to a
// power of two. They do not change scores. New returns an error for more than 64 cells, and for rules other than
// freestyle, where a stone may be worse than a pass.
func New(g *mnk.Game, tableEntries int) (*Solver, error) {
	if err := accepts(g); err != nil {
		return nil, err
	}
	return &Solver{
		cells: g.Actions(),
		board: newBoard(g),
		table: newTranspositionTable(tableEntries, g.Symmetries()),
	}, nil
}

func accepts(g *mnk.Game) error {
	if g.Actions() > maxCells {
		return fmt.Errorf("%s has %d cells, but the exact solver takes at most %d: use alphabeta:DEPTH",
			g.Name(), g.Actions(), maxCells)
	}
	if g.Rule() != mnk.Freestyle {
		return fmt.Errorf("%s has the rule %v, but the exact solver of m,n,k games knows only %v: use alphabeta:DEPTH",
			g.Name(), g.Rule(), mnk.Freestyle)
	}
	return nil
}

// Nodes returns the number of positions visited so far.
func (s *Solver) Nodes() uint64 { return s.nodes }

// Solve returns the score of state, on the solver's board. If ctx ends first, it returns an error and keeps its table.
func (s *Solver) Solve(ctx context.Context, state mnk.State) (solver.Score, error) {
	if score, over := solver.Final(state, s.cells); over {
		return score, nil
	}
	s.ctx, s.err = ctx, ctx.Err()
	key := state.Key()
	score := s.solve(key[0], key[1], state.Ply())
	s.ctx = nil
	if s.err != nil {
		return 0, fmt.Errorf("cannot solve a position with %d stones: %w", state.Ply(), s.err)
	}
	return score, nil
}

func (s *Solver) solve(own, opponent uint64, ply int) solver.Score {
	if s.board.completing(own, opponent) != 0 {
		return solver.WinAt(s.cells, ply+1)
	}
	left := s.cells - ply
	for win, loss := 3, 2; min(win, loss) <= left && s.err == nil; {
		if win < loss {
			distance := s.attack(position{own, opponent}, win)
			if distance <= win {
				return solver.WinAt(s.cells, ply+distance)
			}
			win = distance
		} else {
			distance := s.defend(position{opponent, own}, loss)
			if distance <= loss {
				return -solver.WinAt(s.cells, ply+distance)
			}
			loss = distance
		}
	}
	return 0
}

func (s *Solver) visit() {
	if s.nodes++; s.nodes%4096 == 0 && s.err == nil {
		eventloop.Yield()
		s.err = s.ctx.Err()
	}
}

// quickPlies is how many plies before the end the solver becomes quick.
const quickPlies = 30

// Maker returns a maker of this package's solvers, or of general ones for other boards and rules.
func Maker(g *mnk.Game) solver.Maker[mnk.State] {
	if accepts(g) != nil {
		return solver.General(g)
	}
	const entry = 24 // bytes
	return solver.Maker[mnk.State]{Quick: max(0, g.MaxPlies()-quickPlies), New: func(o solver.Options) (solver.Solver[mnk.State], error) {
		return New(g, o.TableMegabytes<<20/entry)
	}}
}

// Package mnk solves m,n,k games on boards of up to 64 cells: who wins, and how soon.
//
// The search asks one question at a time, with one side cast as the attacker: does it win within n plies? The other side,
// the defender, has merely to survive, so most of the board can be left out of account:
//
//   - A stone that threatens to complete a line must be answered at once, and one that threatens two wins (a fork). While
//     the attacker could fork, only cells that spoil each fork, and threats of the defender's own, are worth a try.
//   - A weighted count of the lines that are still open bounds from below how soon the attacker wins, often by never
//     (Erdős, Selfridge 1973: see census.soonest).
//   - A refutation says how long it holds: the smallest distance at which the attacker might still win. The search of the
//     next distance begins there, so a draw is proven as soon as depth ceases to matter.
//
// Solve asks for both sides in turn, nearest distance first. A table remembers the bounds of positions, and takes images
// under the symmetries of the board for one.
package mnk

import (
	"context"
	"fmt"

	"tengen/game/mnk"
	"tengen/solver"
)

// maxCells is the size of the largest board, one bit a cell.
const maxCells = 64

// Config says what a solver remembers.
type Config struct {
	// TableEntries is the size of the table in positions of 24 bytes, rounded down to a power of two. A full table
	// forgets: the solver gets slower, its scores stay the same.
	TableEntries int
}

// Default remembers a million positions in 24 MiB.
func Default() Config { return Config{TableEntries: 1 << 20} }

// Validate names the first key that is out of range.
func (c Config) Validate() error {
	if c.TableEntries < 2 || c.TableEntries > 1<<32 {
		return fmt.Errorf("table_entries is %d, allowed are 2 to %d", c.TableEntries, 1<<32)
	}
	return nil
}

// Solver is a solver.Solver[mnk.State] for one board. It is not safe for concurrent use. What it has learnt of positions serves
// later calls of Solve.
type Solver struct {
	cells int
	board *board
	table *transpositionTable
	nodes uint64

	ctx context.Context // of the Solve under way
	err error           // why the search has to stop
}

var _ solver.Solver[mnk.State] = (*Solver)(nil)

// New returns a solver for the board. It returns an error when the board has more than 64 cells, when not every row of k wins on it,
// since a stone may do harm there where this search takes it to be as good as a pass at least, and when the configuration is not
// valid.
func New(g *mnk.Game, c Config) (*Solver, error) {
	if err := accepts(g); err != nil {
		return nil, err
	}
	if err := c.Validate(); err != nil {
		return nil, err
	}
	return &Solver{
		cells: g.Actions(),
		board: newBoard(g),
		table: newTranspositionTable(c.TableEntries, g.Symmetries()),
	}, nil
}

// accepts returns an error for a board that the solver does not take.
func accepts(g *mnk.Game) error {
	if g.Actions() > maxCells {
		return fmt.Errorf("%s has %d cells, and the exact solver takes at most %d: use a player alphabeta:DEPTH",
			g.Name(), g.Actions(), maxCells)
	}
	if g.Rule() != mnk.Freestyle {
		return fmt.Errorf("%s is played by the rule %v, and the exact solver of m,n,k games knows %v only: use a player alphabeta:DEPTH",
			g.Name(), g.Rule(), mnk.Freestyle)
	}
	return nil
}

// Nodes is the number of positions visited so far.
func (s *Solver) Nodes() uint64 { return s.nodes }

// Solve returns the score of state, a position of the solver's board. When ctx ends first, it returns an error; what the
// table has learnt until then stays.
func (s *Solver) Solve(ctx context.Context, state mnk.State) (solver.Score, error) {
	if score, over := solver.Final(state, s.cells); over {
		return score, nil
	}
	s.ctx, s.err = ctx, ctx.Err()
	key := state.Key()
	score := s.solve(key[0], key[1], state.Ply())
	s.ctx = nil
	if s.err != nil {
		return 0, fmt.Errorf("solve a position of %d stones: %w", state.Ply(), s.err)
	}
	return score, nil
}

// solve casts the side to move and its opponent as the attacker in turn, and looks for the nearest win.
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

// visit counts a position, and looks now and then whether the search has to stop.
func (s *Solver) visit() {
	if s.nodes++; s.nodes%4096 == 0 && s.err == nil {
		s.err = s.ctx.Err()
	}
}

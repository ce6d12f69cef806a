// Package connect4 solves Connect Four on boards of up to 64 bits. The standard board of 7 columns and 6 rows takes
// minutes from the start, milliseconds from the middle of a game.
//
// The search is negamax with null windows on bitboards, after Pons ("Solving Connect Four", blog.gamesolver.org): it
// skips moves that let the opponent win at once, tries moves with threats first, and keeps bounds of scores in a
// transposition table. It adds
//
//   - an immediate win for a move that leaves the opponent no safe move;
//   - a table lookup for all moves before the first is searched (Schaeffer and Plaat 1996, "New advances in alpha-beta
//     searching");
//   - wins and draws by control of the zugzwang (zugzwang.go);
//   - killer moves, folding of mirror images, and a Book of the first plies.
package connect4

import (
	"context"
	"fmt"

	"tengen/game"
	"tengen/game/connect4"
	"tengen/solver"
)

// Options configure a Solver.
type Options struct {
	// TableMegabytes is the size of the transposition table, from 1 to 2^20, rounded down to a power of two. It does
	// not change results. 2 suit the later half of a game, 512 the empty board.
	TableMegabytes int
	// Threads is the number of goroutines, at least 1, that search each position with a shared table. More than one pay
	// off from a million nodes on.
	Threads int
	// Book holds known scores; it may be nil.
	Book *Book
}

// Solver is a solver.Solver that keeps its table between positions. It is not safe for concurrent use.
type Solver struct {
	game    *connect4.Game
	board   *board
	table   transpositionTable
	workers []*worker
	book    *Book
}

var _ solver.Solver[connect4.State] = (*Solver)(nil)

// New returns a solver for the board of g: k = 4, at least 4 columns, and columns*(rows+1) of at most 64.
func New(g *connect4.Game, options Options) (*Solver, error) {
	b, err := boardOf(g)
	if err != nil {
		return nil, err
	}
	if book := options.Book; book != nil && book.board.size != b.size {
		return nil, fmt.Errorf("solver of %s: the book is for %d columns and %d rows; build one for this board",
			g.Name(), book.board.size.Columns, book.board.size.Rows)
	}
	s := &Solver{game: g, board: b, table: newTranspositionTable(options.TableMegabytes), book: options.Book}
	for thread := range options.Threads {
		s.workers = append(s.workers, newWorker(b, &s.table, b.orderOf(thread)))
	}
	return s, nil
}

func boardOf(g *connect4.Game) (*board, error) {
	size := g.Board()
	if g.K() != 4 || size.Columns < 4 || size.Columns*(size.Rows+1) > 64 {
		return nil, fmt.Errorf("no fast solver for %s: it takes k = 4, at least 4 columns, and columns*(rows+1) of at most 64; "+
			"solver.NewAlphaBeta takes any board", g.Name())
	}
	return newBoard(size), nil
}

// Nodes returns the number of positions visited by all threads.
func (s *Solver) Nodes() uint64 {
	var nodes uint64
	for _, w := range s.workers {
		nodes += w.nodes
	}
	return nodes
}

// BookEnd implements solver.Booked. An incomplete book lacks the start.
func (s *Solver) BookEnd() int {
	if s.book == nil || len(s.book.layers[0].keys) == 0 {
		return -1
	}
	return s.book.Depth()
}

// Solve returns the score of state, even if the game is over, or an error when ctx ends first. It panics if state
// belongs to another board.
func (s *Solver) Solve(ctx context.Context, state connect4.State) (solver.Score, error) {
	return s.within(ctx, state, -boundOffset, boundOffset)
}

// Sign returns the sign of Solve's score. It is faster.
func (s *Solver) Sign(ctx context.Context, state connect4.State) (int, error) {
	score, err := s.within(ctx, state, -1, 1)
	return score.Sign(), err
}

// Best finds the score, then the moves that reach it.
func (s *Solver) Best(ctx context.Context, state connect4.State) ([]game.Action, error) {
	score, err := s.Solve(ctx, state)
	if err != nil {
		return nil, err
	}
	var best []game.Action
	for _, a := range state.Legal(nil) {
		reply, err := s.within(ctx, state.Play(a), -int(score), -int(score)+1)
		if err != nil {
			return nil, err
		}
		if reply <= -score {
			best = append(best, a)
		}
	}
	return best, nil
}

// within returns the score of state if it is in [lower, upper], else the nearer bound or a score beyond that bound.
func (s *Solver) within(ctx context.Context, state connect4.State, lower, upper int) (solver.Score, error) {
	if state.Game().Name() != s.game.Name() {
		panic(fmt.Sprintf("connect4: a solver of %s was asked for a position of %s", s.game.Name(), state.Game().Name()))
	}
	if score, over := solver.Final(state, s.board.cells); over {
		return score, nil
	}
	key := state.Key()
	p := s.board.position(key[0], key[1])
	if s.book != nil {
		if score, ok := s.book.lookup(p); ok {
			return score, nil
		}
	}
	score, ok := 0, false
	if len(s.workers) == 1 {
		score, ok = s.workers[0].solve(ctx, p, lower, upper)
	} else {
		score, ok = race(ctx, s.workers, p, lower, upper)
	}
	if !ok {
		return 0, fmt.Errorf("%s not solved: %w", s.game.Name(), ctx.Err())
	}
	return solver.Score(score), nil
}

// quickPlies is how many plies before the end the solver becomes quick.
const quickPlies = 30

// Maker returns a maker of this package's solvers, or of general ones for other boards.
func Maker(g *connect4.Game) solver.Maker[connect4.State] {
	if _, err := boardOf(g); err != nil {
		return solver.General(g)
	}
	return solver.Maker[connect4.State]{Quick: max(0, g.MaxPlies()-quickPlies), New: func(o solver.Options) (solver.Solver[connect4.State], error) {
		options := Options{TableMegabytes: o.TableMegabytes, Threads: o.Threads, Book: OpeningBook(g)}
		if o.Book != "" {
			book, err := ReadBookFile(o.Book)
			if err != nil {
				return nil, err
			}
			options.Book = book
		}
		return New(g, options)
	}}
}

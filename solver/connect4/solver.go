// Package connect4 solves Connect Four: it finds the score of any position on boards of up to 64 bits, the standard one
// of 7 columns and 6 rows within minutes from the empty board, and within milliseconds from the middle of a game.
//
// It is a negamax search with null windows on bitboards, after Pons ("Solving Connect Four", blog.gamesolver.org): moves
// that let the opponent win at once are left out, those that make threats come first, a transposition table keeps a
// lower and an upper bound of each score, and the score is narrowed down by questions of the form "is it above x?". To
// that come
//   - the threats of each position, which the ordering of moves has worked out, passed on to the search of it, so that a
//     move which leaves the opponent helpless wins without a search of what follows;
//   - a look at the table for all moves before the first is searched (Schaeffer and Plaat 1996, "New advances in alpha-beta
//     searching");
//   - wins and draws that need no search, because one side controls the zugzwang (zugzwang.go);
//   - killer moves;
//   - mirror images folded into one in the first plies.
//
// A Book holds the scores of all positions of the first plies. OpeningBook is the one for the standard board.
package connect4

import (
	"context"
	"fmt"

	"tengen/game"
	"tengen/game/connect4"
	"tengen/solver"
)

// Options say with what to solve.
type Options struct {
	// TableMegabytes is the memory of the transposition table, rounded down to a power of two. A full table forgets: the
	// search gets slower, its results stay the same. From 1 to 2^20; 2 suit the later half of the game, where a
	// small table stays in the caches, 512 the empty board.
	TableMegabytes int
	// Threads is the number of goroutines, at least 1, that search each position, share the table and try moves in
	// different orders, until the first has the score. Worth it from a million nodes on.
	Threads int
	// Book holds scores that need no search; nil is none.
	Book *Book
}

// Default is a table of 64 megabytes, one thread and no book.
func Default() Options { return Options{TableMegabytes: 64, Threads: 1} }

// Solver is a solver.Solver. What it has learned about one position helps with the next. It is not safe for concurrent use.
type Solver struct {
	game    *connect4.Game
	board   *board
	table   transpositionTable
	workers []*worker // one a thread
	book    *Book
}

var _ solver.Solver[connect4.State] = (*Solver)(nil)

// New returns a solver for the board of g. k must be 4, and the board have at least 4 columns and fit into 64 bits with a
// row more.
func New(g *connect4.Game, options Options) (*Solver, error) {
	b, err := boardOf(g)
	if err != nil {
		return nil, err
	}
	if err := options.validate(b); err != nil {
		return nil, fmt.Errorf("solver of %s: %w", g.Name(), err)
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

func (o Options) validate(b *board) error {
	if o.TableMegabytes < 1 || o.TableMegabytes > 1<<20 {
		return fmt.Errorf("a table of %d megabytes; allowed are 1 to %d", o.TableMegabytes, 1<<20)
	}
	if o.Threads < 1 {
		return fmt.Errorf("%d threads; at least 1 is needed", o.Threads)
	}
	if o.Book != nil && o.Book.board.size != b.size {
		return fmt.Errorf("the book is for %d columns and %d rows; build one for this board", o.Book.board.size.Columns, o.Book.board.size.Rows)
	}
	return nil
}

// Nodes is the number of positions visited so far, by all threads: calls of search, as Pons counts them.
func (s *Solver) Nodes() uint64 {
	var nodes uint64
	for _, w := range s.workers {
		nodes += w.nodes
	}
	return nodes
}

// Solve returns the score of state, also when the game is over. It panics when state is of another board. When ctx ends
// first, it returns an error.
func (s *Solver) Solve(ctx context.Context, state connect4.State) (solver.Score, error) {
	return s.within(ctx, state, -boundOffset, boundOffset)
}

// Sign is the sign of what Solve would return: -1, 0 or +1. It is found sooner.
func (s *Solver) Sign(ctx context.Context, state connect4.State) (int, error) {
	score, err := s.within(ctx, state, -1, 1)
	return score.Sign(), err
}

// Best implements solver.Chooser: once the score is known, a move is asked only whether it reaches that.
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

// within returns the score of state if it is in [lower, upper], else one beyond with the right sign.
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

// Package solver plays perfectly: it finds what a position is worth when neither side makes a mistake.
//
// A Score says who wins and how soon. Minimax, AlphaBeta and Tablebase find scores in any game, and make more of a
// game.Placement; packages solver/connect4 and solver/mnk in theirs, much faster. A Searcher looks ahead to a limited depth
// where no solver gets to the end, and judges by an Estimator.
//
// All solvers find the same scores, whatever they remember: tables, symmetries and orders of moves change the number of
// positions visited, never the result. The tests hold them against each other.
//
// AlphaBeta has the negamax form (Knuth, Moore 1975, "An Analysis of Alpha-Beta Pruning"), with a table of
// transpositions (Breuker 1998, "Memory versus Search in Games").
package solver

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"tengen/game"
)

// Solver finds scores. It is not safe for concurrent use.
type Solver[S game.State[S]] interface {
	// Solve returns the score of s, also when the game is over. When ctx ends first, it returns an error.
	Solve(ctx context.Context, s S) (Score, error)

	// Nodes is the number of positions visited so far.
	Nodes() uint64
}

// Moves returns the score of each legal move of s, in their order, for the side to move in s, which must not be over.
func Moves[S game.State[S]](ctx context.Context, solver Solver[S], s S, legal []game.Action) ([]Score, error) {
	scores := make([]Score, len(legal))
	for i, a := range legal {
		score, err := solver.Solve(ctx, s.Play(a))
		if err != nil {
			return nil, err
		}
		scores[i] = -score
	}
	return scores, nil
}

// Chooser is a Solver that finds the best moves faster than by the score of each.
type Chooser[S game.State[S]] interface {
	// Best returns the moves of s, which must not be over, whose score is the best.
	Best(ctx context.Context, s S) ([]game.Action, error)
}

// Best returns the moves of s, which must not be over, whose score is the best.
func Best[S game.State[S]](ctx context.Context, solver Solver[S], s S) ([]game.Action, error) {
	if chooser, ok := solver.(Chooser[S]); ok {
		return chooser.Best(ctx, s)
	}
	legal := s.Legal(nil)
	scores, err := Moves(ctx, solver, s, legal)
	if err != nil {
		return nil, err
	}
	highest := slices.Max(scores)
	var best []game.Action
	for i, a := range legal {
		if scores[i] == highest {
			best = append(best, a)
		}
	}
	return best, nil
}

// Config says what a search remembers.
type Config struct {
	// Transpositions keeps results in a table, so that a position reached by several orders of moves is searched once.
	Transpositions bool
	// Symmetries takes positions that are images of each other for one, by the symmetries that leave the root of the search
	// as it is. It needs Transpositions, and plays each move once for every such symmetry. It does nothing in a game whose
	// positions are no game.Placement.
	Symmetries bool
	// TableEntries is the size of the table in positions of 32 bytes. A full table forgets: the search gets slower, its
	// results stay the same.
	TableEntries int
	// ForcedNodes is the limit, in moves tried, of a proof by forced moves (package forced) at each position that a Searcher
	// visits, leaves included. 0: none. It does nothing in a game whose positions are no game.Alignment, nor for other solvers.
	ForcedNodes int
}

// Default remembers a million positions in 32 MiB.
func Default() Config {
	return Config{Transpositions: true, Symmetries: true, TableEntries: 1 << 20}
}

// DefaultPlayer is what the players alphabeta:DEPTH search g with: Default and, in games such as gomoku, proofs by forced moves.
// Where cells lie on others, as in Connect Four, a proof has to look at every move, and the time is better spent on depth.
func DefaultPlayer[S game.State[S]](g game.Game[S]) Config {
	c := Default()
	lies := func(below int16) bool { return below >= 0 }
	if s, ok := any(g.Start()).(game.Alignment); ok && !slices.ContainsFunc(s.Lines().Below, lies) {
		c.ForcedNodes = 30
	}
	return c
}

// Validate names the first key that is out of range.
func (c Config) Validate() error {
	if c.Symmetries && !c.Transpositions {
		return errors.New("symmetries without transpositions: there is no table to look images up in; set both")
	}
	if c.Transpositions && (c.TableEntries < 1 || c.TableEntries > 1<<32) {
		return fmt.Errorf("table_entries is %d, allowed are 1 to %d", c.TableEntries, 1<<32)
	}
	if c.ForcedNodes < 0 {
		return fmt.Errorf("forced_nodes is %d, allowed are 0 and more", c.ForcedNodes)
	}
	return nil
}

// mustBeValid panics when the configuration is not valid.
func (c Config) mustBeValid() {
	if err := c.Validate(); err != nil {
		panic("solver: " + err.Error())
	}
}

// Counts is the work of a search.
type Counts struct {
	Nodes         uint64 // positions visited, the root included, and again at each visit
	TerminalTests uint64 // positions of which it was asked whether the game is over
	Games         uint64 // visited positions where it was
}

// watch lets a search notice, at little cost, that its context has ended.
type watch struct {
	ctx   context.Context
	calls uint
	err   error // why the search must stop
}

func newWatch(ctx context.Context) watch { return watch{ctx: ctx, err: ctx.Err()} }

// stopped reports whether the search must stop. It asks the context once in 1024 calls.
func (w *watch) stopped() bool {
	if w.calls++; w.calls%1024 == 0 && w.err == nil {
		w.err = w.ctx.Err()
	}
	return w.err != nil
}

package solver

import (
	"cmp"
	"context"
	"runtime"
	"sync"

	"tengen/game"
	"tengen/internal/limits"
)

// Options configure the solvers of a Maker.
type Options struct {
	TableMegabytes int
	Threads        int    // per position, where supported
	Book           string // file of known scores, where supported
}

// Validate returns an error that names the first value out of range.
func (o Options) Validate() error {
	return cmp.Or(
		limits.Int("table_megabytes", o.TableMegabytes, 1, 1<<20),
		limits.Int("threads", o.Threads, 1, 256),
	)
}

// Maker makes the strongest available solvers for a game.
type Maker[S game.State[S]] struct {
	New func(Options) (Solver[S], error)
	// Quick is the ply from which a position and its moves take well under a second.
	Quick int
	// Try returns the scores of a position's moves if they take well under a second, in games that usually end long
	// before MaxPlies, so that no ply says it; nil if ctx ends. It is nil in others, and safe for concurrent use.
	Try func(context.Context, S) []Score
}

// Signs returns a function for the signs of scores (see replay.Tablebase), which is safe for concurrent use. It makes a
// solver per core when first needed, with a table small enough for a processor's cache. It solves later positions
// first: they are easier, and their results help with earlier ones.
func (m Maker[S]) Signs() func(positions []S) []int8 {
	idle := make(chan func() (Solver[S], error), runtime.GOMAXPROCS(0))
	for range cap(idle) {
		idle <- sync.OnceValues(func() (Solver[S], error) { return m.New(Options{TableMegabytes: 2, Threads: 1}) })
	}
	return func(positions []S) []int8 {
		open := <-idle
		defer func() { idle <- open }()
		solver, err := open()
		signs := make([]int8, len(positions))
		for i := len(positions) - 1; i >= 0 && err == nil; i-- {
			var sign int
			sign, err = Sign(context.Background(), solver, positions[i])
			signs[i] = int8(sign)
		}
		if err != nil {
			panic(err) // the options are valid, and only a context can end a solver
		}
		return signs
	}
}

const (
	quickPlies = 14      // before the end, from which alpha-beta is quick
	tryMoves   = 500_000 // of alpha-beta, which take about a tenth of a second
)

// General returns a maker of alpha-beta solvers. Only games of placement fill the board, so that plies say what is
// left.
func General[S game.State[S]](g game.Game[S]) Maker[S] {
	const entry = 32 // bytes
	alphaBeta := func(o Options) *AlphaBeta[S] {
		return NewAlphaBeta(g, Config{TableEntries: o.TableMegabytes << 20 / entry})
	}
	m := Maker[S]{Quick: max(0, g.MaxPlies()-quickPlies), New: func(o Options) (Solver[S], error) { return alphaBeta(o), nil }}
	if _, fills := any(g.Start()).(game.Placement); !fills {
		m.Try = func(ctx context.Context, s S) []Score {
			solver := alphaBeta(Options{TableMegabytes: 1}) // new: what it learns from one position slows others down
			scores, _ := Moves(moveLimit{ctx, solver.Moves}, solver, s, s.Legal(nil))
			return scores
		}
	}
	return m
}

// moveLimit is a context that also ends when a solver has seen tryMoves.
type moveLimit struct {
	context.Context
	moves func() uint64
}

// Err implements context.Context.
func (l moveLimit) Err() error {
	if l.moves() > tryMoves {
		return context.DeadlineExceeded
	}
	return l.Context.Err()
}

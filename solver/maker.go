package solver

import (
	"cmp"
	"tengen/game"
	"tengen/internal/limits"
)

// Options say with what to solve.
type Options struct {
	TableMegabytes int    // memory for positions that are solved already
	Threads        int    // that solve a position together, where the game's solver can
	Book           string // file of known scores, in place of those that the game's solver comes with, where it has them
}

// Validate names the first value that is out of range.
func (o Options) Validate() error {
	return cmp.Or(
		limits.Int("table_megabytes", o.TableMegabytes, 1, 1<<20),
		limits.Int("threads", o.Threads, 1, 256),
	)
}

// Maker makes the strongest solvers that there are for a game.
type Maker[S game.State[S]] struct {
	New func(Options) (Solver[S], error)
	// Quick is the ply from which on such a solver takes well under a second for a position.
	Quick int
}

// quickPlies is the number of plies before the end of a game from which on alpha-beta is quick.
const quickPlies = 14

// General solves any game by alpha-beta.
func General[S game.State[S]](g game.Game[S]) Maker[S] {
	const entry = 32 // bytes
	return Maker[S]{Quick: max(0, g.MaxPlies()-quickPlies), New: func(o Options) (Solver[S], error) {
		config := Default()
		config.TableEntries = o.TableMegabytes << 20 / entry
		return NewAlphaBeta(g, config), nil
	}}
}

package solver

import (
	"cmp"

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
	// Quick is the ply from which a position takes well under a second.
	Quick int
}

// quickPlies is how many plies before the end alpha-beta becomes quick.
const quickPlies = 14

// General returns a maker of alpha-beta solvers.
func General[S game.State[S]](g game.Game[S]) Maker[S] {
	const entry = 32 // bytes
	return Maker[S]{Quick: max(0, g.MaxPlies()-quickPlies), New: func(o Options) (Solver[S], error) {
		config := Default()
		config.TableEntries = o.TableMegabytes << 20 / entry
		return NewAlphaBeta(g, config), nil
	}}
}

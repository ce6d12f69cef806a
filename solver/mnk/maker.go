package mnk

import (
	"tengen/game/mnk"
	"tengen/solver"
)

// quickPlies is the number of plies before the end of a game from which on the solver is quick.
const quickPlies = 30

// Maker makes solvers of this package where they take the board and its rule, and others elsewhere.
func Maker(g *mnk.Game) solver.Maker[mnk.State] {
	if accepts(g) != nil {
		return solver.General(g)
	}
	const entry = 24 // bytes
	return solver.Maker[mnk.State]{Quick: max(0, g.MaxPlies()-quickPlies), New: func(o solver.Options) (solver.Solver[mnk.State], error) {
		return New(g, Config{TableEntries: o.TableMegabytes << 20 / entry})
	}}
}

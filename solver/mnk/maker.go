package mnk

import (
	"tengen/game/mnk"
	"tengen/solver"
)

// quickPlies is how many plies before the end of a game the solver becomes quick.
const quickPlies = 30

// Maker returns a maker of this package's solvers, or of general ones if they do not support the board or its rule.
func Maker(g *mnk.Game) solver.Maker[mnk.State] {
	if accepts(g) != nil {
		return solver.General(g)
	}
	const entry = 24 // bytes
	return solver.Maker[mnk.State]{Quick: max(0, g.MaxPlies()-quickPlies), New: func(o solver.Options) (solver.Solver[mnk.State], error) {
		return New(g, Config{TableEntries: o.TableMegabytes << 20 / entry})
	}}
}

package engine

import "tengen/game/conformance"

// Check implements Game.
func (e Typed[S]) Check(perft []uint64) conformance.Report {
	return conformance.Check(e.Rules, perft...)
}

// Package gametest tests implementations of game.Game. Package conformance has the claims that Run checks.
package gametest

import (
	"testing"

	"tengen/game"
	"tengen/game/conformance"
)

// Run checks g, with a subtest for each claim of the contract. It logs warnings, remarks and a random game, which
// "go test -v" shows, and returns what it has found. The test must not be parallel, because Run measures allocations.
func Run[S game.State[S]](t *testing.T, g game.Game[S]) conformance.Report {
	t.Helper()
	r := conformance.Check(g)
	for _, f := range r.Findings {
		t.Run(f.Claim, func(t *testing.T) {
			switch f.Level {
			case conformance.Failure:
				t.Error(f.Text)
			case conformance.Skipped:
				t.Skip(f.Text)
			case conformance.Warning, conformance.Remark:
				t.Logf("%s: %s", f.Level, f.Text)
			}
		})
	}
	if r.Games != nil {
		t.Logf("a random game:\n%s", r.Games.Example)
	}
	return r
}

// Package playertest names players for tests.
package playertest

import (
	"testing"

	"tengen/game"
	"tengen/players"
)

// Spec parses a SPEC.
func Spec(t testing.TB, text string) players.Spec {
	t.Helper()
	spec, err := players.ParseSpec(text)
	if err != nil {
		t.Fatal(err)
	}
	return spec
}

// Player returns the player of a SPEC that needs neither a network nor a solver.
func Player[S game.State[S]](t testing.TB, g game.Game[S], text string) players.Player[S] {
	t.Helper()
	p, err := players.Builder[S]{Game: g}.Build(Spec(t, text))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

package gametest

import (
	"slices"
	"strings"
	"testing"

	"tengen/game"
)

// Reads is for fuzz tests. If parse accepts name and its game accepts moves, both must be the same after they are
// written and read. parse takes names without prefix.
func Reads[S game.State[S], G game.Game[S]](
	t testing.TB, prefix string, parse func(string) (G, error), name, moves string,
) {
	t.Helper()
	g, err := parse(name)
	if err != nil {
		return
	}
	if again, err := parse(strings.TrimPrefix(g.Name(), prefix)); err != nil || again.Name() != g.Name() {
		t.Errorf("%q is called %s, which is not read: %v", name, g.Name(), err)
	}
	actions, _, err := game.ParseMoves(g.Start(), moves)
	if err != nil {
		return
	}
	if again, _, err := game.ParseMoves(g.Start(), game.FormatMoves(g.Start(), actions)); err != nil || !slices.Equal(again, actions) {
		t.Errorf("%s: %q is read as %v, but written so that it is read as %v, %v", g.Name(), moves, actions, again, err)
	}
}

// Replay returns the position after moves in the game's notation. Errors fail the test.
func Replay[S game.State[S]](t testing.TB, g game.Game[S], moves string) S {
	t.Helper()
	_, s, err := game.ParseMoves(g.Start(), moves)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// Moves returns the moves that text names, from the start. Errors fail the test.
func Moves[S game.State[S]](t testing.TB, g game.Game[S], text string) []game.Action {
	t.Helper()
	moves, _, err := game.ParseMoves(g.Start(), text)
	if err != nil {
		t.Fatal(err)
	}
	return moves
}

// Parser returns a parse for tests, which fails the test on an error.
func Parser[G any](parse func(string) (G, error)) func(t testing.TB, text string) G {
	return func(t testing.TB, text string) G {
		t.Helper()
		g, err := parse(text)
		if err != nil {
			t.Fatal(err)
		}
		return g
	}
}

package gametest

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"tengen/game"
)

func notation[S game.State[S]](g game.Game[S]) error {
	seen := map[string]bool{}
	for i := range g.Actions() {
		a := game.Action(i)
		text := g.FormatAction(a)
		if seen[text] {
			return fmt.Errorf("two moves are written as %q", text)
		}
		seen[text] = true
		if err := parses(g, text, []game.Action{a}); err != nil {
			return err
		}
	}
	if text := g.FormatMoves(nil); text != "" {
		return fmt.Errorf("no moves are written as %q; want nothing", text)
	}
	if err := refuses(g); err != nil {
		return err
	}
	return visit(g, func(moves []game.Action, s S) error {
		return parses(g, g.FormatMoves(moves), moves)
	})
}

func parses[S game.State[S]](g game.Game[S], text string, moves []game.Action) error {
	for _, variant := range []string{
		text,
		strings.ToUpper(text),
		strings.ToLower(text),
		"\t" + strings.ReplaceAll(text, " ", "  ") + " \r\n",
	} {
		got, err := g.ParseMoves(variant)
		if err != nil {
			return fmt.Errorf("parsing %q: %w", variant, err)
		}
		if !slices.Equal(got, moves) {
			return fmt.Errorf("parsing %q gives %v; want %v", variant, got, moves)
		}
	}
	return nil
}

// refuses checks that invalid moves are formatted as "#400", and that invalid text, even after a move, is an error.
func refuses[S game.State[S]](g game.Game[S]) error {
	for _, outside := range []game.Action{game.None, game.Action(g.Actions())} {
		if text, want := g.FormatAction(outside), fmt.Sprintf("#%d", outside); text != want {
			return fmt.Errorf("%d, which is not a move, is written as %q; want %q", outside, text, want)
		}
	}
	move := g.FormatAction(0)
	for _, text := range []string{
		"#0", "?", "0", "-1", "+1", "1.5", "é", "\x00", "90000000000000000000",
		"a0", "a90000000000000000000", "a-1", "a+1", "~1",
	} {
		for _, text := range []string{text, move + " " + text} {
			if moves, err := g.ParseMoves(text); err == nil {
				return fmt.Errorf("%q is read as the moves %v; want an error", text, moves)
			}
		}
	}
	return nil
}

// Reads is for fuzz tests. If parse accepts name and its game accepts moves, both must be the same after formatting and
// parsing, and game.Replay must not panic. parse takes names without prefix.
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
	actions, err := g.ParseMoves(moves)
	if err != nil {
		return
	}
	if again, err := g.ParseMoves(g.FormatMoves(actions)); err != nil || !slices.Equal(again, actions) {
		t.Errorf("%s: %q is read as %v, but written so that it is read as %v, %v", g.Name(), moves, actions, again, err)
	}
	game.Replay(game.Game[S](g), actions)
}

// Replay returns the position after moves in the game's notation. Errors fail the test.
func Replay[S game.State[S]](t testing.TB, g game.Game[S], moves string) S {
	t.Helper()
	s, err := game.Replay(g, Parser(g.ParseMoves)(t, moves))
	if err != nil {
		t.Fatal(err)
	}
	return s
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

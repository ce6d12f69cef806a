package conformance

import (
	"fmt"
	"slices"
	"strings"

	"tengen/game"
)

// distinct checks that legal moves have different texts without spaces and commas.
func distinct[S game.State[S]](_ game.Game[S], _ []game.Action, s S) error {
	seen := map[string]game.Action{}
	for _, a := range s.Legal(nil) {
		text := s.Format(a)
		if text == "" || strings.ContainsAny(text, " ,\t\r\n") {
			return fmt.Errorf("move number %d is written as %q; want a word without spaces and commas", a, text)
		}
		folded := strings.ToLower(text)
		if other, ok := seen[folded]; ok {
			return fmt.Errorf("the legal moves number %d and %d are written as %q and %q; want different words, not only in case",
				other, a, s.Format(other), text)
		}
		seen[folded] = a
	}
	return nil
}

// notation checks that games can be written and read.
func notation[S game.State[S]](g game.Game[S]) error {
	if err := everywhere(distinct[S])(g); err != nil {
		return err
	}
	start := g.Start()
	for _, text := range []string{"?", "é", "\x00", "90000000000000000000", "~1"} {
		if moves, _, err := game.ParseMoves(start, text); err == nil {
			return fmt.Errorf("%q is read as %s; want an error", text, game.FormatMoves(start, moves))
		}
	}
	return visit(g, func(moves []game.Action, s S) error {
		if _, over := s.Outcome(); !over {
			return nil // the text of the whole game has the moves to here
		}
		return parses(g, game.FormatMoves(start, moves), moves)
	})
}

func parses[S game.State[S]](g game.Game[S], text string, moves []game.Action) error {
	for _, variant := range []string{
		text,
		strings.ToUpper(text),
		strings.ToLower(text),
		"\t" + strings.ReplaceAll(text, " ", ", ") + " \r\n",
	} {
		got, _, err := game.ParseMoves(g.Start(), variant)
		if err != nil {
			return fmt.Errorf("%w: the text is %q", err, variant)
		}
		if !slices.Equal(got, moves) {
			return fmt.Errorf("a game is read as other moves: %q, from %q; want %q",
				game.FormatMoves(g.Start(), got), variant, game.FormatMoves(g.Start(), moves))
		}
	}
	return nil
}

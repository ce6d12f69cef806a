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

// Stones reads a board row by row: X is a stone of the first player, O one of the second, anything else an empty cell.
func Stones(rows ...string) (cells []game.Side) {
	for _, sign := range strings.Join(rows, "") {
		cells = append(cells, map[rune]game.Side{'X': game.First, 'O': game.Second}[sign])
	}
	return cells
}

// LineEstimate computes from every line what Estimate must return in a game of lines.
func LineEstimate(s interface {
	Lines() *game.LineSet
	Cell(cell int) game.Side
	ToMove() game.Side
}) (worth int) {
	set := s.Lines()
	for i, line := range set.Cells {
		var stones [3]int // [side+1]
		for _, cell := range line {
			stones[s.Cell(int(cell))+1]++
		}
		for _, side := range []game.Side{game.First, game.Second} {
			own, opponent := stones[side+1], stones[side.Opponent()+1]
			if own > 0 && opponent == 0 && !set.Spoilt(i, side, s.Cell) {
				worth += int(side*s.ToMove()) << (2 * min(own, 8))
			}
		}
	}
	return worth
}

// CheckSetup fails the test unless g sets up a board, with X, O or a full stop for each cell, with these legal moves, in
// the order of their names and separated by spaces, or refuses it with the error wrong.
func CheckSetup[S game.State[S]](t *testing.T, g game.Game[S], board string, toMove game.Side, last game.Action, legal, wrong string) {
	t.Helper()
	s, err := g.(game.Setup[S]).FromStones(Stones(board), toMove, last)
	if err != nil || wrong != "" {
		if want := "position of " + g.Name() + ": " + wrong; err == nil || err.Error() != want {
			t.Errorf("%s: error %v; want %s", board, err, want)
		}
		return
	}
	moves := game.MoveList(s, s.Legal(nil))
	slices.Sort(moves)
	if got := strings.Join(moves, " "); got != legal || s.ToMove() != toMove || s.Last() != last {
		t.Errorf("%s: legal are %s, the %v is to move after %d; want %s", board, got, s.ToMove(), s.Last(), legal)
	}
}

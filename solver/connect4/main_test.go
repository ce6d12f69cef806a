package connect4

import (
	"flag"
	"testing"

	"go.uber.org/goleak"

	"tengen/game"
	"tengen/game/connect4"
)

var acceptance = flag.Bool("acceptance", false, "also search for minutes")

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// board4 is the game on a board of the given size with k = 4.
func board4(tb testing.TB, columns, rows int) *connect4.Game {
	tb.Helper()
	g, err := connect4.New(game.Size{Rows: rows, Columns: columns}, 4)
	if err != nil {
		tb.Fatal(err)
	}
	return g
}

// solverOf has one thread and a table of a megabyte.
func solverOf(tb testing.TB, g *connect4.Game) *Solver {
	tb.Helper()
	return solverWith(tb, g, Options{TableMegabytes: 1, Threads: 1})
}

func solverWith(tb testing.TB, g *connect4.Game, options Options) *Solver {
	tb.Helper()
	s, err := New(g, options)
	if err != nil {
		tb.Fatal(err)
	}
	return s
}

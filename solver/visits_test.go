package solver_test

import (
	"context"
	"fmt"
	"testing"

	"tengen/game/mnk"
	"tengen/solver"
)

// What each refinement saves, solving tic-tac-toe from the empty board.
func Example() {
	g := mnk.TicTacToe()
	plain := solver.Config{}
	transpositions := solver.Config{Transpositions: true, TableEntries: 1 << 20}
	symmetries := solver.Config{Transpositions: true, Symmetries: true, TableEntries: 1 << 20}
	fmt.Printf("%-26s %7s %7s %7s\n", "method", "visits", "tests", "games")
	for _, method := range []struct {
		name   string
		solver interface {
			solver.Solver[mnk.State]
			Counts() solver.Counts
		}
	}{
		{"minimax", solver.NewMinimax(g, plain)},
		{"minimax, transpositions", solver.NewMinimax(g, transpositions)},
		{"minimax, and symmetries", solver.NewMinimax(g, symmetries)},
		{"alpha-beta", solver.NewAlphaBeta(g, plain)},
		{"alpha-beta, transpositions", solver.NewAlphaBeta(g, transpositions)},
		{"alpha-beta, and symmetries", solver.NewAlphaBeta(g, symmetries)},
	} {
		if _, err := method.solver.Solve(context.Background(), g.Start()); err != nil {
			panic(err)
		}
		c := method.solver.Counts()
		fmt.Printf("%-26s %7d %7d %7d\n", method.name, c.Nodes, c.TerminalTests, c.Games)
	}
	// Output:
	// method                      visits   tests   games
	// minimax                     549946  549946  255168
	// minimax, transpositions      16168   16168    2862
	// minimax, and symmetries       2271    2271     392
	// alpha-beta                    2511    8717     253
	// alpha-beta, transpositions    1334    4907      40
	// alpha-beta, and symmetries     601    2145      17
}

// Plain minimax plays all 255,168 games; the positions on their way are the published numbers of move sequences by ply.
func TestMinimaxVisitsEveryLine(t *testing.T) {
	g := mnk.TicTacToe()
	m := solver.NewMinimax(g, solver.Config{})
	if score := solve(t, m, g.Start()); score != 0 {
		t.Errorf("tic-tac-toe scores %d; want a draw", score)
	}
	want := solver.Counts{Nodes: 549_946, TerminalTests: 549_946, Games: 255_168}
	if got := m.Counts(); got != want || m.Nodes() != want.Nodes {
		t.Errorf("work %+v, %d nodes; want %+v", got, m.Nodes(), want)
	}
}

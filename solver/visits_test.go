package solver_test

import (
	"context"
	"fmt"

	"tengen/game/mnk"
	"tengen/solver"
)

// What each refinement saves, solving tic-tac-toe from the empty board. Plain minimax plays all 255,168 games.
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
		fmt.Printf("%-26s %7d %7d %7d\n", method.name, method.solver.Nodes(), c.TerminalTests, c.Games)
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

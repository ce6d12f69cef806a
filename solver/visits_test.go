package solver_test

import (
	"context"
	"fmt"

	"tengen/game/mnk"
	"tengen/solver"
)

// The positions that each refinement saves, solving tic-tac-toe from the empty board.
func Example() {
	g := mnk.TicTacToe()
	plain := solver.Config{}
	transpositions := solver.Config{Transpositions: true, TableEntries: 1 << 20}
	symmetries := solver.Config{Transpositions: true, Symmetries: true, TableEntries: 1 << 20}
	for _, method := range []struct {
		name   string
		solver solver.Solver[mnk.State]
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
		fmt.Printf("%-26s %7d\n", method.name, method.solver.Nodes())
	}
	// Output:
	// minimax                     549946
	// minimax, transpositions      16168
	// minimax, and symmetries       2271
	// alpha-beta                    2511
	// alpha-beta, transpositions    1334
	// alpha-beta, and symmetries     601
}

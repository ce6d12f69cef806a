package selfplay_test

import (
	"context"
	"fmt"
	"tengen/game"

	"tengen/game/mnk"
	"tengen/mcts"
	"tengen/replay"
	"tengen/selfplay"
)

// One worker plays three games at once, with an evaluator that knows nothing in place of a network. Their numbers and
// the seed determine them.
func Example() {
	g := mnk.TicTacToe()
	search := mcts.Default()
	search.Simulations = 30
	pool := selfplay.NewPool(g, selfplay.Default(), search, 1, []mcts.Evaluator[mnk.State]{&mcts.Uniform[mnk.State]{}})
	finished := func(r *replay.Record) error {
		fmt.Printf("game %d: %s, %s\n", r.Number, game.FormatMoves(g.Start(), r.Moves), r.Winner())
		return nil
	}
	if _, err := pool.Play(context.Background(), 0, selfplay.Numbers([]uint64{0, 1, 2}), finished); err != nil {
		fmt.Println(err)
	}
	// Unordered output:
	// game 0: c1 b2 c3 b3 c2, first
	// game 1: c1 b1 a1 c3 b2 c2 a3, first
	// game 2: a2 a3 a1 b3 b2 c1 c3, first
}

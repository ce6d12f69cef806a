package mcts_test

import (
	"fmt"
	"math/rand/v2"

	"tengen/game"
	"tengen/game/mnk"
	"tengen/mcts"
)

// A search asks for the evaluation of one leaf after another. Here the network is a function that knows nothing.
func Example() {
	evaluate := func(s mnk.State, prior []float32) (value float32) {
		legal := s.Legal(nil)
		clear(prior)
		for _, a := range legal {
			prior[a] = 1 / float32(len(legal))
		}
		return 0 // for the side to move
	}

	g := mnk.TicTacToe()
	position := g.Start()
	for _, a := range []game.Action{4, 1, 0} { // the centre, an edge, and a corner that threatens to win
		position = position.Play(a)
	}
	cfg := mcts.Default()
	cfg.ForcedNodes = 0 // nothing is proven before it is searched
	search := mcts.New[mnk.State](cfg, g.Actions())
	search.Reset(position)
	search.Begin(400, nil) // no noise: the best move, not a game to learn from
	prior := make([]float32, g.Actions())
	for !search.Done() {
		if leaf, status := search.Select(); status == mcts.Leaf {
			value := evaluate(leaf, prior)
			search.Expand(prior, value)
		}
	}
	var decision mcts.Decision
	search.Decide(0, rand.New(rand.NewPCG(1, 1)), &decision) // the most visited move; chance decides between equals
	fmt.Println("the opposite corner,", g.Start().Format(decision.Action))
	// Output:
	// the opposite corner, c1
}

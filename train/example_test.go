package train_test

import (
	"context"
	"fmt"

	"tengen/game/mnk"
	"tengen/mcts"
	"tengen/net"
	"tengen/replay"
	"tengen/selfplay"
	"tengen/train"
)

// One iteration without a run directory: a network plays itself, the window takes the games, the learner takes steps.
// Loop does the same again and again, and lets a run continue after a crash.
func ExampleLearner() {
	g := mnk.TicTacToe()
	network := net.Default()
	network.Blocks, network.Channels = 1, 8
	weights := net.NewWeights(network, net.ShapeOf(g), 1)

	const seed = 1
	search := mcts.Default()
	search.Simulations = 16
	evaluator := net.NewEvaluator[mnk.State](weights, 32)
	pool := selfplay.NewPool(g, selfplay.Default(), search, seed, []mcts.Evaluator[mnk.State]{evaluator})
	numbers := make([]uint64, 50)
	for i := range numbers {
		numbers[i] = uint64(i)
	}
	games := make([]*replay.Record, len(numbers))
	_, err := pool.Play(context.Background(), 0, selfplay.Numbers(numbers), func(r *replay.Record) error {
		games[r.Number] = r
		return nil
	})
	if err != nil {
		fmt.Println(err)
		return
	}

	window := replay.NewWindow(g, replay.Default(), nil)
	if err := window.Add(games...); err != nil {
		fmt.Println(err)
		return
	}

	cfg := train.Default()
	cfg.BatchSize = 64
	learner := train.NewLearner(cfg, weights, seed)
	defer learner.Close()
	var first, last train.StepResult
	const steps = 200
	for i := range steps {
		last, err = learner.Step(window, 1, i+1 == steps)
		if err != nil {
			fmt.Println(err)
			return
		}
		if i == 0 {
			first = last
		}
	}
	fmt.Println("the loss fell by more than a tenth:", last.Total < 0.9*first.Total)
	// Output:
	// the loss fell by more than a tenth: true
}

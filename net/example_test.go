package net_test

import (
	"fmt"

	"tengen/game/connect4"
	"tengen/net"
)

// A new network sees little difference between the columns, and gives a full one no probability.
func ExampleEvaluator() {
	g := connect4.Standard()
	position := g.Start()
	for range g.Board().Rows { // fill the middle column
		position = position.Play(3)
	}
	cfg := net.Default()
	cfg.Blocks, cfg.Channels = 2, 16
	weights := net.NewWeights(cfg, net.ShapeOf(g), 1)
	evaluator := net.NewEvaluator[connect4.State](weights, 8) // up to 8 positions at once

	priors, values := [][]float32{make([]float32, g.Actions())}, make([]float32, 1)
	if err := evaluator.Evaluate([]connect4.State{position}, priors, values); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("policy %.2f, value %.2f\n", priors[0], values[0])
	// Output:
	// policy [0.15 0.17 0.17 0.00 0.15 0.17 0.18], value 0.05
}

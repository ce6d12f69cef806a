package run_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"tengen/engine"
	"tengen/players"
	"tengen/run"
)

// A short run of tic-tac-toe, and a move of the player that it made.
func Example() {
	tmp, err := os.MkdirTemp("", "")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(tmp)
	dir := filepath.Join(tmp, "mine")

	cfg := run.DefaultConfig()
	cfg.Game = "tictactoe"
	cfg.Net.Blocks, cfg.Net.Channels, cfg.Search.Simulations = 1, 8, 8
	cfg.Train.Iterations, cfg.Train.GamesPerIteration, cfg.Train.EvaluateEvery = 2, 20, 0
	ctx := context.Background()
	training, err := run.Train(ctx, run.TrainConfig{Config: cfg, Dir: dir})
	if err == nil {
		err = errors.Join(training.Run(ctx), training.Close())
	}
	if err != nil {
		fmt.Println(err)
		return
	}

	game, err := engine.Open("tictactoe")
	if err != nil {
		fmt.Println(err)
		return
	}
	player, err := game.Player(players.Spec{Kind: players.KindNet, Path: dir, Limit: 50}, engine.PlayerOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	thinker, err := game.Think(player, players.Default())
	if err != nil {
		fmt.Println(err)
		return
	}
	position, err := game.Parse("a1 b2 a2") // a3 would win
	if err != nil {
		fmt.Println(err)
		return
	}
	thinker.Set(position)
	answer, err := thinker.Think(ctx, thinker.Limit(), nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(game.Format(answer.Best))
	// Output:
	// a3
}

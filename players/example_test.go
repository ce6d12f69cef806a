package players_test

import (
	"context"
	"fmt"

	"tengen/eval"
	"tengen/game/mnk"
	"tengen/players"
)

func Example() {
	builder := players.Builder[mnk.State]{Game: mnk.TicTacToe()}
	spec, err := players.ParseSpec("random")
	if err != nil {
		fmt.Println(err)
		return
	}
	player, err := builder.Build(spec)
	if err != nil {
		fmt.Println(err)
		return
	}
	cfg := eval.MatchConfig{Games: 1000, Seed: 1, Workers: 2}
	result, err := eval.Play(context.Background(), cfg, builder.Game, player, player, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(result)
	fmt.Println(result.AsFirst)
	// Output:
	// random vs random: 440 wins, 143 draws, 417 losses of 1000; score 51.1 % (48.1 – 54.2); Elo +8 (-14 – +30)
	// 295 wins, 69 draws, 136 losses
}

package engine_test

import (
	"context"
	"fmt"

	"tengen/engine"
	"tengen/players"
)

// Two players, each named by its SPEC, play a game of a board that is named as well.
func Example() {
	e, err := engine.Open("tictactoe")
	if err != nil {
		panic(err)
	}
	var sides []engine.Thinker
	for _, text := range []string{"minimax", "random"} {
		spec, err := players.ParseSpec(text)
		if err != nil {
			panic(err)
		}
		player, err := e.Player(spec, engine.PlayerOptions{})
		if err != nil {
			panic(err)
		}
		thinker, err := player.Think(players.Default())
		if err != nil {
			panic(err)
		}
		sides = append(sides, thinker)
	}
	p := e.Start()
	for ply := 0; !p.Over; ply++ {
		player := sides[ply%2]
		player.Set(p)
		answer, err := player.Think(context.Background(), player.Limit(), nil)
		if err != nil {
			panic(err)
		}
		if p, err = p.Play(answer.Best); err != nil {
			panic(err)
		}
	}
	fmt.Print(p)
	fmt.Println(p.Winner())
	// Output:
	//    a  b  c
	// 3  X (X) X
	// 2  O  .  O
	// 1  .  .  .
	//    a  b  c
	// first
}

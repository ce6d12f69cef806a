package engine_test

import (
	"context"
	"fmt"

	"tengen/engine"
	"tengen/game"
	"tengen/players"
)

// Two players play a game.
func Example() {
	e, err := engine.Open("tictactoe")
	if err != nil {
		panic(err)
	}
	var sides []engine.Thinker
	for _, text := range []string{"solver", "random"} {
		spec, err := players.ParseSpec(text)
		if err != nil {
			panic(err)
		}
		player, err := e.Player(spec, engine.PlayerOptions{})
		if err != nil {
			panic(err)
		}
		thinker, err := e.Think(player, players.Default())
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

// A program plays the first free cell in each position against perfect play.
func ExampleGame_environment() {
	e, err := engine.Open("tictactoe")
	if err != nil {
		panic(err)
	}
	c := engine.DefaultEnvironment()
	c.Side = game.First
	if c.Opponent, err = players.ParseSpec("solver"); err != nil {
		panic(err)
	}
	games, err := e.Environment(c)
	if err != nil {
		panic(err)
	}
	ctx := context.Background()
	if err := games.Reset(ctx, nil, nil); err != nil {
		panic(err)
	}
	for over := false; !over; _, over = games.Outcome(0) {
		if err := games.Step(ctx, games.Legal(0)[:1]); err != nil {
			panic(err)
		}
	}
	fmt.Println("reward", games.Reward(0))
	// Output:
	// reward -1
}

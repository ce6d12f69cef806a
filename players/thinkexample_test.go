package players_test

import (
	"context"
	"fmt"
	"log"

	"tengen/game"
	"tengen/game/connect4"
	"tengen/players"
)

// A game in which one side thinks, and goes on thinking while the other chooses its move.
func ExampleThinker() {
	g := connect4.Standard()
	spec, err := players.ParseSpec("uct:2000")
	if err != nil {
		log.Fatal(err)
	}
	factory, err := players.Builder[connect4.State]{Game: g}.Build(spec)
	if err != nil {
		log.Fatal(err)
	}
	thinker, err := factory.Think(players.Default())
	if err != nil {
		log.Fatal(err)
	}
	defer thinker.Stop()
	progress := func(r players.Report) {
		if r.Final {
			fmt.Printf("%d simulations: column %s\n", r.Simulations, g.Start().Format(r.Best))
		}
	}
	position := g.Start()
	for _, move := range []game.Action{2, 0, 3, 0} { // two in a row with room on both sides, and the first player to move
		position = position.Play(move)
	}
	thinker.Set(players.At(position))
	for _, reply := range []game.Action{5, 0} {
		answer, err := thinker.Think(context.Background(), factory.Limit, progress)
		if err != nil {
			log.Fatal(err)
		}
		position = position.Play(answer.Best)
		if _, over := position.Outcome(); over {
			fmt.Println("won")
			break
		}
		thinker.Set(players.At(position))
		thinker.Ponder()
		position = position.Play(reply)
		thinker.Set(players.At(position)) // ends the pondering
	}
	// Output:
	// 2000 simulations: column 5
	// 2000 simulations: column 2
	// won
}

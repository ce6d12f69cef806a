package players_test

import (
	"context"
	"fmt"
	"log"

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
	cfg := eval.MatchConfig{Games: 1000, Seed: 1, Workers: 2, Lockstep: 16}
	result, err := eval.Play(context.Background(), cfg, builder.Game, player, player, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(result)
	fmt.Printf("%+v\n", result.AsFirst)
	// Output:
	// random vs random: 440 wins, 143 draws, 417 losses of 1000; score 51.1 % (48.1 – 54.2); Elo +8 (-14 – +30)
	// {Wins:295 Draws:69 Losses:136}
}

func ExampleLadder() {
	builder := players.Builder[mnk.State]{Game: mnk.TicTacToe()}
	build := func(names ...string) (entrants []players.Entrant[mnk.State]) {
		for _, name := range names {
			spec, err := players.ParseSpec(name)
			if err != nil {
				log.Fatal(err)
			}
			entrant, err := builder.Build(spec)
			if err != nil {
				log.Fatal(err)
			}
			entrants = append(entrants, entrant)
		}
		return entrants
	}
	fixed, checkpoints := build("random"), build("uct:4", "uct:12", "uct:40")
	cfg := eval.MatchConfig{Games: 40, OpeningPlies: 2, Seed: 1, Workers: 2, Lockstep: 8}
	standings, err := eval.Ladder(context.Background(), cfg, builder.Game, fixed, checkpoints, nil)
	if err != nil {
		log.Fatal(err)
	}
	for _, p := range standings.Players {
		fmt.Printf("%-6s %4.0f Elo (%.0f – %.0f), %.1f %% of %d games\n",
			p.Name, p.Rating.Elo, p.Rating.Low, p.Rating.High, 100*p.Tally.Score(), p.Tally.Games())
	}
	// Output:
	// random    0 Elo (0 – 0), 23.8 % of 120 games
	// uct:4    59 Elo (-21 – 138), 32.5 % of 120 games
	// uct:12  236 Elo (151 – 321), 60.8 % of 120 games
	// uct:40  390 Elo (293 – 487), 82.9 % of 120 games
}

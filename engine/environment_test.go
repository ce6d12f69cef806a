package engine_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"tengen/engine"
	"tengen/game"
	"tengen/players"
	"tengen/players/env"
)

// A program plays tic-tac-toe against perfect play, and takes the first free cell each time.
func ExampleGame_environment() {
	e, err := engine.Open("tictactoe")
	if err != nil {
		panic(err)
	}
	c := engine.DefaultEnvironment()
	c.Side = game.First
	if c.Opponent, err = players.ParseSpec("minimax"); err != nil {
		panic(err)
	}
	games, err := e.Environment(c)
	if err != nil {
		panic(err)
	}
	one, ctx := env.Single(games), context.Background()
	if err := one.Reset(ctx); err != nil {
		panic(err)
	}
	for over, reward := false, float32(0); !over; {
		if reward, over, err = one.Step(ctx, one.Legal()[0]); err != nil {
			panic(err)
		}
		if over {
			fmt.Println("reward", reward)
		}
	}
	// Output:
	// reward -1
}

// The position of a game is the one that its moves lead to, and is drawn as all others are.
func TestEnvironmentPosition(t *testing.T) {
	e, err := engine.Open("connect4")
	if err != nil {
		t.Fatal(err)
	}
	c := engine.DefaultEnvironment()
	c.Games = 2
	games, err := e.Environment(c)
	if err != nil {
		t.Fatal(err)
	}
	if err := games.Reset(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	for range 3 {
		if err := games.Step(t.Context(), []game.Action{game.None, 3}); err != nil {
			t.Fatal(err)
		}
	}
	want, err := e.Parse("444")
	if err != nil {
		t.Fatal(err)
	}
	p := games.Position(1)
	if e.Format(p.Moves...) != "444" || p.String() != want.String() || games.Render(1) != want.String() || p.ToMove != game.Second {
		t.Errorf("after 444 the position is %q\n%s", e.Format(p.Moves...), p)
	}
	if alone := games.Position(0); len(alone.Moves) != 0 {
		t.Errorf("the game that was left alone has the moves %v", alone.Moves)
	}
}

// What was asked for wrongly is an InputError, a model that cannot be read is not.
func TestEnvironmentRefuses(t *testing.T) {
	e, err := engine.Open("tictactoe")
	if err != nil {
		t.Fatal(err)
	}
	c := engine.DefaultEnvironment()
	c.Games = 0
	if _, err := e.Environment(c); !errors.As(err, new(engine.InputError)) {
		t.Errorf("no games give the error %v", err)
	}
	c.Games, c.Opponent = 1, players.Spec{Kind: players.KindNet, Path: "connect4"}
	if _, err := e.Environment(c); err == nil {
		t.Error("a model of another game is an opponent")
	}
}

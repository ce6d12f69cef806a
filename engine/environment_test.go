package engine

import (
	"testing"

	"tengen/game"
	"tengen/players"
)

func TestEnvironmentPosition(t *testing.T) {
	e, c := open(t, "connect4"), DefaultEnvironment()
	c.Games = 2
	games, err := e.Environment(c)
	noError(t, err)
	noError(t, games.Reset(t.Context(), nil, nil))
	for range 3 {
		noError(t, games.Step(t.Context(), []game.Action{game.None, 3}))
	}
	p, err := e.Replay(games.Moves(1))
	noError(t, err)
	want := parsed(t, "connect4", "444").String()
	if e.Format(p.Moves...) != "444" || p.String() != want || p.ToMove != game.Second {
		t.Errorf("after 444 the position is %q\n%s", e.Format(p.Moves...), p)
	}
	if alone := games.Moves(0); len(alone) != 0 {
		t.Errorf("the game without a move has the moves %v", alone)
	}
}

func TestEnvironmentErrors(t *testing.T) {
	e, c := open(t, "tictactoe"), DefaultEnvironment()
	c.Games = 0
	_, err := e.Environment(c)
	wantError(t, err, "games", true)
	c.Games, c.Opponent = 1, players.Spec{Kind: players.KindNet, Path: "connect4"}
	_, err = e.Environment(c)
	wantError(t, err, "the model plays connect4, not tictactoe", false)
}

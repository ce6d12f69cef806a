package arena_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	"tengen/arena"
	"tengen/game/connect4"
	"tengen/game/mnk"
)

// After a corner, only the centre draws. X's fifth stone, the last on the board, scores 1, its fourth 2, its third 3.
func TestNewProblem(t *testing.T) {
	p := solve(t, "a1")
	if len(p.Moves) != 1 || p.Position.Ply() != 1 || p.Score != 0 || len(p.Legal) != 8 {
		t.Fatalf("%+v", p)
	}
	for i, a := range p.Legal {
		draws := mnk.TicTacToe().FormatAction(a) == "b2"
		if (p.Scores[i] == 0) != draws || p.Scores[i] > 0 {
			t.Errorf("%s scores %d", mnk.TicTacToe().FormatAction(a), p.Scores[i])
		}
	}
}

// The position's score is what the solver says of the position itself.
func TestProblemScoreIsThePositions(t *testing.T) {
	o := newOracle(mnk.TicTacToe())
	for _, p := range openTicTacToe(t) {
		want, err := o.Solve(t.Context(), p.Position)
		if err != nil || p.Score != want || !slices.Contains(p.Scores, want) {
			t.Fatalf("%v: score %d of %v, want %d", p.Moves, p.Score, p.Scores, want)
		}
	}
}

func TestNewProblemFails(t *testing.T) {
	g := connect4.Standard()
	for moves, want := range map[string]string{
		"1111111": `position "1111111": move 7 (1) is illegal`,
		"1212121": `position "1212121": the game is over, there is no move to choose`,
	} {
		actions, err := g.ParseMoves(moves)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := arena.NewProblem(t.Context(), g, newOracle(g), actions); err == nil || err.Error() != want {
			t.Errorf("error %v, want %s", err, want)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	ttt := mnk.TicTacToe()
	if _, err := arena.NewProblem(ctx, ttt, newOracle(ttt), nil); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want %v", err, context.Canceled)
	}
}

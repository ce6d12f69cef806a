package grade_test

import (
	"context"
	"errors"
	"testing"

	"tengen/eval/grade"
	"tengen/game"
	"tengen/game/mnk"
)

// Tic-tac-toe has 5,478 positions, of which 958 are the end of a game.
func TestEvery(t *testing.T) {
	g := mnk.TicTacToe()
	all, err := grade.Every(t.Context(), g, 4520)
	if err != nil || len(all) != 4520 {
		t.Fatalf("%d positions, %v; want 4520", len(all), err)
	}
	seen := map[game.Key]bool{}
	for _, moves := range all {
		s, err := game.Replay(g, moves)
		if err != nil {
			t.Fatal(err)
		}
		if _, over := s.Outcome(); over || seen[s.Key()] {
			t.Errorf("position %q is over, or there twice", game.FormatMoves(g.Start(), moves))
		}
		seen[s.Key()] = true
	}
	if _, err := grade.Every(t.Context(), g, 4519); err == nil {
		t.Error("more positions than are allowed")
	}
	ended, end := context.WithCancel(t.Context())
	end()
	if _, err := grade.Every(ended, g, 4520); !errors.Is(err, context.Canceled) {
		t.Errorf("the context has ended: %v", err)
	}
}

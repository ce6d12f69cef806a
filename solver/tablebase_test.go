package solver_test

import (
	"context"
	"errors"
	"testing"

	"tengen/game"
	"tengen/game/gametest"
	"tengen/game/mnk"
	"tengen/solver"
)

// Numbers of positions: tic-tac-toe's, and those of Connect Four boards by Tromp ("John's Connect Four Playground").
func TestTableHoldsEveryPosition(t *testing.T) {
	checkTable(t, mnk.TicTacToe(), 5478)
	checkTable(t, newConnect4(t, "4,4,4"), 161_029)
}

func checkTable[S game.State[S]](t *testing.T, g game.Game[S], positions int) {
	table, err := solver.NewPlanner(g, positions).Plan(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if table.Nodes() != uint64(positions) {
		t.Errorf("%s: %d positions; want %d", g.Name(), table.Nodes(), positions)
	}
	if score := solve(t, table, g.Start()); score != 0 {
		t.Errorf("%s scores %d; want a draw", g.Name(), score)
	}
}

func TestTableRefuses(t *testing.T) {
	g := mnk.TicTacToe()
	want := "tictactoe has more than the 5477 positions that a table may hold: raise the limit, or search instead (alphabeta:DEPTH, solver)"
	if _, err := solver.NewPlanner(g, 5477).Plan(t.Context()); err == nil || err.Error() != want {
		t.Errorf("error %v; want %q", err, want)
	}
	if _, err := solver.NewPlanner(g, 5478).Plan(endsLater(t.Context(), 2)); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v; want that of the context", err)
	}
	table, err := solver.NewPlanner(g, 5478).Plan(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	stranger := gametest.Replay(t, newMNK(t, "4,4,3"), "d1")
	if _, err := table.Solve(t.Context(), stranger); err == nil {
		t.Error("a position of another board has a score")
	}
}

// However little time there is at once, the table gets done.
func TestPlannerGoesOn(t *testing.T) {
	g := newConnect4(t, "4,4,4")
	p := solver.NewPlanner(g, 161_029)
	stops := 0
	for {
		table, err := p.Plan(endsLater(t.Context(), 2))
		if err == nil {
			if table.Nodes() != 161_029 || stops < 10 {
				t.Errorf("%d positions after %d stops", table.Nodes(), stops)
			}
			return
		}
		if stops++; !errors.Is(err, context.Canceled) || stops > 1000 {
			t.Fatalf("error %v after %d stops", err, stops)
		}
	}
}

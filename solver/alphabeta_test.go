package solver_test

import (
	"context"
	"errors"
	"testing"

	"tengen/game"
	"tengen/game/connect4"
	"tengen/game/gametest"
	"tengen/game/mnk"
	"tengen/game/othello"
	"tengen/solver"
)

// Alpha-beta finds what minimax does on every position of a game. Othello on 4x4 is lost for the side that begins, and its
// positions say nothing about who moved last.
func TestAgreesWithMinimax(t *testing.T) {
	checkAll(t, mnk.TicTacToe(), 5478, 0)
	checkAll(t, newConnect4(t, "4,3,3"), 0, 1)
	checkAll(t, must(othello.New(4)), 0, -1)
}

// checkAll checks the number of positions, unless it is 0, and the sign of the game's score.
func checkAll[S game.State[S]](t *testing.T, g game.Game[S], positions, sign int) {
	t.Helper()
	known := map[game.Key]solver.Score{}
	if score := minimax(g.Start(), g.MaxPlies(), known); score.Sign() != sign || positions > 0 && len(known) != positions {
		t.Fatalf("%s: score %d, %d positions", g.Name(), score, len(known))
	}
	for _, config := range configs {
		by, seen := solver.NewAlphaBeta(g, config), map[game.Key]bool{}
		var visit func(s S)
		visit = func(s S) {
			if seen[s.Key()] {
				return
			}
			seen[s.Key()] = true
			if got := solve(t, by, s); got != known[s.Key()] {
				t.Fatalf("%s, %+v: position %x scores %d; want %d", g.Name(), config, s.Key(), got, known[s.Key()])
			}
			for _, a := range s.Legal(nil) {
				visit(s.Play(a))
			}
		}
		visit(g.Start())
	}
}

// Published and exhaustively checked results of small boards, each with the ply at which the first player wins, 0 for a
// draw.
func TestBoards(t *testing.T) {
	for numbers, wins := range map[string]int{
		"3,3,3": 0, "4,3,3": 7, "3,4,3": 7, "4,4,3": 5, "4,4,4": 0, "1,1,1": 1, "2,1,2": 0,
	} {
		checkBoard(t, newMNK(t, numbers), wins)
	}
	checkBoard(t, newConnect4(t, "4,4,4"), 0)
	checkBoard(t, newConnect4(t, "5,4,4"), 0)
}

func checkBoard[S game.State[S]](t *testing.T, g game.Game[S], wins int) {
	var want solver.Score
	if wins > 0 {
		want = solver.WinAt(g.MaxPlies(), wins)
	}
	ab := solver.NewAlphaBeta(g, roomy)
	if got := solve(t, ab, g.Start()); got != want {
		t.Errorf("%s scores %d; want %d", g.Name(), got, want)
	}
	t.Logf("%s: %d nodes", g.Name(), ab.Nodes())
}

// A solver notices that the context has ended, before it starts and under way.
func TestSolveIsCancelled(t *testing.T) {
	g := connect4.Standard()
	by := solver.NewAlphaBeta(g, solver.Default())
	for _, asks := range []int{0, 3} {
		if _, err := by.Solve(endsLater(t.Context(), asks), g.Start()); !errors.Is(err, context.Canceled) {
			t.Errorf("a context that ends after %d looks: error %v", asks, err)
		}
	}
}

// countdown is a context that ends after it was asked some times.
type countdown struct {
	context.Context
	asks *int
}

func endsLater(ctx context.Context, asks int) context.Context { return countdown{ctx, &asks} }

func (c countdown) Err() error {
	if *c.asks--; *c.asks < 0 {
		return context.Canceled
	}
	return nil
}

// Searches allocate nothing between one position and the next.
func TestSolveDoesNotAllocate(t *testing.T) {
	g := newMNK(t, "4,3,3")
	by, s := solver.NewAlphaBeta(g, crowded), gametest.Replay(t, g, "b2 a1 d3")
	if allocs := testing.AllocsPerRun(2, func() { solve(t, by, s) }); allocs != 0 {
		t.Errorf("%v allocations", allocs)
	}
}

package solver_test

import (
	"context"
	"errors"
	"testing"

	"tengen/game"
	"tengen/game/connect4"
	"tengen/game/gametest"
	"tengen/game/mnk"
	"tengen/solver"
)

// All solvers agree on all 5,478 positions of tic-tac-toe.
func TestTicTacToe(t *testing.T) {
	g := mnk.TicTacToe()
	all := positions(g)
	if len(all) != 5478 {
		t.Fatalf("%d positions; want 5478", len(all))
	}
	oracle := solver.NewMinimax(g, solver.Config{})
	want := make([]solver.Score, len(all))
	for i, s := range all {
		want[i] = solve(t, oracle, s)
	}
	table, err := solver.NewPlanner(g, len(all)).Plan(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	solvers := map[string]solver.Solver[mnk.State]{
		"table":               table,
		"minimax, crowded":    solver.NewMinimax(g, crowded),
		"alpha-beta, crowded": solver.NewAlphaBeta(g, crowded),
	}
	for _, r := range refinements {
		solvers["minimax, "+r.name] = solver.NewMinimax(g, r.config)
		solvers["alpha-beta, "+r.name] = solver.NewAlphaBeta(g, r.config)
	}
	for name, by := range solvers {
		for i, s := range all {
			if got := solve(t, by, s); got != want[i] {
				t.Fatalf("%s: %x scores %d; want %d", name, s.Key(), got, want[i])
			}
		}
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
	ab := solver.NewAlphaBeta(g, refinements[2].config)
	if got := solve(t, ab, g.Start()); got != want {
		t.Errorf("%s scores %d; want %d", g.Name(), got, want)
	}
	t.Logf("%s: %d nodes", g.Name(), ab.Nodes())
}

// Where both sides follow the scores, each move costs the loser nothing and the winner no time: the game ends at the ply
// that the first score foretold.
func TestPlayFollowsScores(t *testing.T) {
	checkPlay(t, newMNK(t, "4,4,3"), "")
	checkPlay(t, newMNK(t, "4,3,3"), "")
	checkPlay(t, newMNK(t, "4,4,3"), "a1 b2 d4") // the second player's win
	checkPlay(t, newConnect4(t, "5,4,3"), "")
	checkPlay(t, newConnect4(t, "4,4,4"), "1122")
}

func checkPlay[S game.State[S]](t *testing.T, g game.Game[S], opening string) {
	ab := solver.NewAlphaBeta(g, refinements[2].config)
	s := gametest.Replay(t, g, opening)
	foretold := solve[S](t, ab, s)
	for {
		legal := s.Legal(nil)
		if len(legal) == 0 {
			break
		}
		scores, err := solver.Moves(t.Context(), ab, s, legal)
		if err != nil {
			t.Fatal(err)
		}
		best := 0
		for i := range scores {
			if scores[i] > scores[best] {
				best = i
			}
		}
		if scores[best] != foretold {
			t.Fatalf("%s: the best move scores %d in a position that scores %d", g.Name(), scores[best], foretold)
		}
		s = s.Play(legal[best])
		foretold = -foretold
	}
	if score, _ := solver.Final(s, g.MaxPlies()); score != foretold {
		t.Errorf("%s after %q: ends with score %d, foretold %d", g.Name(), opening, score, foretold)
	}
}

// Solvers notice that the context has ended, before they start and under way.
func TestSolveIsCancelled(t *testing.T) {
	g := connect4.Standard()
	for name, by := range map[string]solver.Solver[connect4.State]{
		"minimax":    solver.NewMinimax(g, solver.Default()),
		"alpha-beta": solver.NewAlphaBeta(g, solver.Default()),
	} {
		ctx, cancel := context.WithCancelCause(t.Context())
		cancel(nil)
		if _, err := by.Solve(ctx, g.Start()); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: error %v; want that of the context", name, err)
		}
		if _, err := by.Solve(endsLater(t.Context(), 3), g.Start()); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: under way: error %v; want that of the context", name, err)
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
	for name, by := range map[string]solver.Solver[mnk.State]{
		"minimax":    solver.NewMinimax(g, crowded),
		"alpha-beta": solver.NewAlphaBeta(g, crowded),
	} {
		s := gametest.Replay(t, g, "b2 a1 d3")
		if allocs := testing.AllocsPerRun(2, func() { solve(t, by, s) }); allocs != 0 {
			t.Errorf("%s: %v allocations", name, allocs)
		}
	}
}

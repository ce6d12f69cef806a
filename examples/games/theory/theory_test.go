package theory_test

import (
	"context"
	"testing"

	"pgregory.net/rapid"

	"games/caniwin"
	"games/nim"
	"games/predictwinner"
	"games/theory"
	"tengen/game"
	"tengen/solver"
)

var (
	_ solver.Solver[nim.State]           = (*theory.Nim)(nil)
	_ solver.Solver[predictwinner.State] = (*theory.PredictWinner)(nil)
	_ solver.Solver[caniwin.State]       = (*theory.CanIWin)(nil)
	_ solver.Ending                      = nim.State{}
	_ solver.Ending                      = predictwinner.State{}
)

// Theory, minimax, alpha-beta and the table of the whole game agree on every position.
func TestSolversAgree(t *testing.T) {
	for _, piles := range []string{
		"1", "5", "1,1", "3,3", "1,2,3", "3,4,5", "1,3,5", "2,2,2,2", "1,3,5,4", "7,7",
		"1,misere", "5,misere", "1,1,misere", "3,3,misere", "1,2,3,misere", "3,4,5,misere", "1,1,1,2,misere",
		"2,2,2,2,misere", "1,3,5,4,misere", "7,7,misere",
		"21,max3", "21,max3,misere", "20,max3", "9,max1", "9,max1,misere", "3,5,max2", "3,4,5,max2,misere", "4,4,4,max3",
		"5,6,max3,misere",
	} {
		g, err := nim.Parse(piles)
		check(t, g, err, func() solver.Solver[nim.State] { return theory.NewNim(g) })
	}
	for _, numbers := range []string{
		"0", "7", "4,4", "1,5,2", "1,5,233,7", "3,9,1,2", "0,0,0,0,0", "2,4,6,1,3,5", "1,1,1,3,1,1,1", "5,3,8,2,9,1,7,4",
	} {
		g, err := predictwinner.Parse(numbers)
		check(t, g, err, func() solver.Solver[predictwinner.State] { return theory.NewPredictWinner(g) })
	}
	for _, numbers := range []string{"1,1", "1,2", "2,3", "2,4", "4,6", "5,11", "7,20", "9,30", "10,11", "10,40"} {
		g, err := caniwin.Parse(numbers)
		check(t, g, err, func() solver.Solver[caniwin.State] { return theory.NewCanIWin(g) })
	}
}

// check compares all solvers on all positions of a game.
func check[S game.State[S], G game.Game[S]](t tester, g G, err error, theory func() solver.Solver[S]) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	table, err := solver.NewPlanner[S](g, 1<<20).Plan(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	config := solver.Config{Transpositions: true, TableEntries: 1 << 16}
	w := walk[S]{t: t, game: g, seen: map[game.Key]bool{}, solvers: map[string]solver.Solver[S]{
		"theory": theory(), "table": table,
		"minimax": solver.NewMinimax[S](g, config), "alpha-beta": solver.NewAlphaBeta[S](g, config),
	}}
	w.visit(g.Start())
	if len(w.seen) != int(table.Nodes()) {
		t.Fatalf("%s: %d positions; the table has %d", g.Name(), len(w.seen), table.Nodes())
	}
}

// The solvers also agree in random games.
func TestSolversAgreeAtRandom(t *testing.T) {
	t.Run("nim", func(t *testing.T) {
		rapid.Check(t, func(t *rapid.T) {
			g, err := nim.New(append(rapid.SliceOfN(rapid.IntRange(1, 4), 0, 3).Draw(t, "piles"), 4), nim.Rule{
				Most: rapid.IntRange(0, 3).Draw(t, "most"), Misere: rapid.Bool().Draw(t, "misère"),
			})
			check(t, g, err, func() solver.Solver[nim.State] { return theory.NewNim(g) })
		})
	})
	t.Run("predictwinner", func(t *testing.T) {
		rapid.Check(t, func(t *rapid.T) {
			g, err := predictwinner.New(rapid.SliceOfN(rapid.IntRange(0, 9), 1, 8).Draw(t, "numbers"))
			check(t, g, err, func() solver.Solver[predictwinner.State] { return theory.NewPredictWinner(g) })
		})
	})
	t.Run("caniwin", func(t *testing.T) {
		rapid.Check(t, func(t *rapid.T) {
			g, err := caniwin.New(rapid.IntRange(1, 7).Draw(t, "numbers"), rapid.IntRange(1, 32).Draw(t, "total"))
			check(t, g, err, func() solver.Solver[caniwin.State] { return theory.NewCanIWin(g) })
		})
	})
}

// tester is the common part of testing.T and rapid.T.
type tester interface {
	Helper()
	Context() context.Context
	Fatal(...any)
	Fatalf(string, ...any)
}

// walk compares the solvers on all positions of a game.
type walk[S game.State[S]] struct {
	t       tester
	game    game.Game[S]
	seen    map[game.Key]bool
	solvers map[string]solver.Solver[S]
}

// visit compares the solvers on s and all positions after it, and returns the score of s.
func (w *walk[S]) visit(s S) solver.Score {
	plies := w.game.MaxPlies()
	want, err := w.solvers["table"].Solve(w.t.Context(), s)
	if err != nil {
		w.t.Fatal(err)
	}
	if w.seen[s.Key()] {
		return want
	}
	w.seen[s.Key()] = true
	for name, by := range w.solvers {
		if got, err := by.Solve(w.t.Context(), s); err != nil || got != want {
			w.t.Fatalf("%s: %s says %d, %v, after %v; the table says %d", w.game.Name(), name, got, err, s.Key(), want)
		}
		if quick, ok := by.(interface {
			Sign(context.Context, S) (int, error)
		}); ok {
			if sign, err := quick.Sign(w.t.Context(), s); err != nil || sign != want.Sign() {
				w.t.Fatalf("%s: the xor says %d, %v, after %v; the score is %d", w.game.Name(), sign, err, s.Key(), want)
			}
		}
	}
	left := solver.PliesToEnd(plies, s, want)
	if _, over := s.Outcome(); over {
		if left != 0 && want != 0 {
			w.t.Fatalf("%s: %d plies are left after the end", w.game.Name(), left)
		}
		return want
	}
	best, ends := solver.Score(-plies), false
	for _, a := range s.Legal(nil) {
		next := s.Play(a)
		score := -w.visit(next)
		best = max(best, score)
		ends = ends || score == want && solver.PliesToEnd(plies, next, -score) == left-1
	}
	if best != want {
		w.t.Fatalf("%s: the best move at %v scores %d; the position %d", w.game.Name(), s.Key(), best, want)
	}
	if want != 0 && !ends {
		w.t.Fatalf("%s: no best move at %v ends after the %d plies that the score %d promises",
			w.game.Name(), s.Key(), left, want)
	}
	return want
}

// Positions with an answer in the literature, among them the examples of LeetCode 486 and 464.
func TestKnownAnswers(t *testing.T) {
	signs(t, nim.Parse, theory.NewNim, map[string]int{
		"1,3,5,7": -1, "1,3,5,7,misere": -1, "3,4,5": 1, "1,2,3": -1, "12,12,12,12,12,12,12,11": 1,
		"21,max3": 1, "20,max3": -1, "21,max3,misere": -1, "20,max3,misere": 1, "5,max4": -1,
	})
	signs(t, predictwinner.Parse, theory.NewPredictWinner, map[string]int{"1,5,2": -1, "1,5,233,7": 1})
	signs(t, caniwin.Parse, theory.NewCanIWin, map[string]int{
		"10,11": -1, "10,1": 1, "10,40": -1, "18,79": 1, "20,210": -1, "20,211": 0,
	})
}

// signs compares the sign of each game's score with the one wanted.
func signs[S game.State[S], G game.Game[S], T solver.Solver[S]](
	t *testing.T, parse func(string) (G, error), theory func(G) T, want map[string]int,
) {
	t.Helper()
	for numbers, want := range want {
		g, err := parse(numbers)
		if err != nil {
			t.Fatal(err)
		}
		score, err := theory(g).Solve(t.Context(), g.Start())
		if err != nil {
			t.Fatal(err)
		}
		if score.Sign() != want {
			t.Errorf("%s: %d; want %d", g.Name(), score.Sign(), want)
		}
	}
}

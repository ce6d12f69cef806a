package nim_test

import (
	"context"
	"testing"

	"pgregory.net/rapid"

	"games/nim"
	"tengen/game"
	"tengen/solver"
)

var (
	_ solver.Solver[nim.State] = (*nim.Theory)(nil)
	_ solver.Ending            = nim.State{}
)

// Theory and alpha-beta agree on every position.
func TestTheoryAgreesWithSearch(t *testing.T) {
	for _, piles := range []string{
		"1", "5", "1,1", "3,3", "1,2,3", "3,4,5", "1,3,5", "2,2,2,2", "1,3,5,4", "7,7",
		"1,misere", "5,misere", "1,1,misere", "3,3,misere", "1,2,3,misere", "3,4,5,misere", "1,1,1,2,misere",
		"2,2,2,2,misere", "1,3,5,4,misere", "7,7,misere",
		"21,max3", "21,max3,misere", "20,max3", "9,max1", "9,max1,misere", "3,5,max2", "3,4,5,max2,misere", "4,4,4,max3",
		"5,6,max3,misere",
	} {
		agree(t, parse(t, piles))
	}
	rapid.Check(t, func(t *rapid.T) {
		g, err := nim.New(append(rapid.SliceOfN(rapid.IntRange(1, 4), 0, 3).Draw(t, "piles"), 4), nim.Rule{
			Most: rapid.IntRange(0, 3).Draw(t, "most"), Misere: rapid.Bool().Draw(t, "misère"),
		})
		if err != nil {
			t.Fatal(err)
		}
		agree(t, g)
	})
}

// tester is the common part of testing.T and rapid.T.
type tester interface {
	Helper()
	Context() context.Context
	Fatalf(string, ...any)
}

func agree(t tester, g *nim.Game) {
	t.Helper()
	w := walk{
		t: t, game: g, seen: map[game.Key]bool{}, theory: nim.NewTheory(g),
		search: solver.NewAlphaBeta(g, solver.Config{TableEntries: 1 << 16}),
	}
	w.visit(g.Start())
}

// walk compares the solvers on all positions of a game.
type walk struct {
	t      tester
	game   *nim.Game
	seen   map[game.Key]bool
	theory *nim.Theory
	search *solver.AlphaBeta[nim.State]
}

// visit compares the solvers on s and all positions after it, and returns the score of s.
func (w *walk) visit(s nim.State) solver.Score {
	want, err := w.search.Solve(w.t.Context(), s)
	if w.seen[s.Key()] {
		return want
	}
	w.seen[s.Key()] = true
	got, theoryErr := w.theory.Solve(w.t.Context(), s)
	sign, signErr := w.theory.Sign(w.t.Context(), s)
	if err != nil || theoryErr != nil || signErr != nil || got != want || sign != want.Sign() {
		w.t.Fatalf("%s: theory says %d, %v, the xor %d, %v, with the piles %v; alpha-beta says %d, %v",
			w.game.Name(), got, theoryErr, sign, signErr, s.Piles(), want, err)
	}
	plies := w.game.MaxPlies()
	left := solver.PliesToEnd(plies, s, want)
	legal := s.Legal(nil)
	ends := left == 0 && len(legal) == 0
	for _, a := range legal {
		next := s.Play(a)
		score := -w.visit(next)
		ends = ends || score == want && solver.PliesToEnd(plies, next, -score) == left-1
	}
	if !ends {
		w.t.Fatalf("%s: no best move with the piles %v ends after the %d plies that the score %d promises",
			w.game.Name(), s.Piles(), left, want)
	}
	return want
}

// Positions with an answer in the literature.
func TestKnownAnswers(t *testing.T) {
	for piles, want := range map[string]int{
		"1,3,5,7": -1, "1,3,5,7,misere": -1, "3,4,5": 1, "1,2,3": -1, "12,12,12,12,12,12,12,11": 1,
		"21,max3": 1, "20,max3": -1, "21,max3,misere": -1, "20,max3,misere": 1, "5,max4": -1,
	} {
		g := parse(t, piles)
		if sign, err := nim.NewTheory(g).Sign(t.Context(), g.Start()); err != nil || sign != want {
			t.Errorf("%s: %d, %v; want %d", g.Name(), sign, err, want)
		}
	}
}

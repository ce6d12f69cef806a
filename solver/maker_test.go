package solver_test

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"tengen/game"
	"tengen/game/breakthrough"
	"tengen/game/mnk"
	"tengen/game/othello"
	"tengen/solver"
)

// The general solver knows the best moves of a position where the corner loses and the centre is the only reply.
func TestGeneralSolver(t *testing.T) {
	g := mnk.TicTacToe()
	maker := solver.General(g)
	if maker.Quick != 0 {
		t.Errorf("quick from ply %d on, want 0", maker.Quick)
	}
	exact, err := maker.New(solver.Options{TableMegabytes: 1, Threads: 1})
	if err != nil {
		t.Fatal(err)
	}
	s := g.Start().Play(0)
	best, err := solver.Best(t.Context(), exact, s)
	if want := []game.Action{4}; err != nil || !slices.Equal(best, want) {
		t.Errorf("the best replies to a corner are %v, error %v; want %v", best, err, want)
	}
	if best, err := solver.Best(t.Context(), exact, g.Start()); err != nil || len(best) != 9 {
		t.Errorf("the best first moves are %v, error %v; want all", best, err)
	}
}

func TestOptionsAreChecked(t *testing.T) {
	for want, o := range map[string]solver.Options{
		"table_megabytes is 0": {TableMegabytes: 0, Threads: 1}, "threads is 257": {TableMegabytes: 1, Threads: 257}, "": {TableMegabytes: 1, Threads: 256},
	} {
		if err := o.Validate(); (err != nil) != (want != "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: error %v, want %q", o, err, want)
		}
	}
}

// Games that end long before their bound have quick positions, which no ply tells: the last of a game are, the start is not.
func TestTry(t *testing.T) {
	testTry(t, must(othello.New(8)))
	testTry(t, must(breakthrough.New(game.Size{Columns: 8, Rows: 8})))
	if solver.General(mnk.TicTacToe()).Try != nil {
		t.Error("a game that fills the board is tried")
	}
}

func testTry[S game.State[S]](t *testing.T, g game.Game[S]) {
	maker := solver.General(g)
	s, rng := g.Start(), rand.New(rand.NewPCG(1, 1))
	if maker.Try(t.Context(), s) != nil {
		t.Errorf("the start of %s is quick to solve", g.Name())
	}
	var last S
	for over := false; !over; _, over = s.Outcome() {
		legal := s.Legal(nil)
		last, s = s, s.Play(legal[rng.IntN(len(legal))])
	}
	exact, err := maker.New(solver.Options{TableMegabytes: 1, Threads: 1})
	if err != nil {
		t.Fatal(err)
	}
	want, err := solver.Moves(t.Context(), exact, last, last.Legal(nil))
	if got := maker.Try(t.Context(), last); err != nil || !slices.Equal(got, want) {
		t.Errorf("the moves of the last position of a game of %s have the scores %v, want %v, %v", g.Name(), got, want, err)
	}
}

func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

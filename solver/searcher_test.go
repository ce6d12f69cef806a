package solver_test

import (
	"context"
	"reflect"
	"strings"
	"testing"

	"tengen/game"
	"tengen/game/connect4"
	"tengen/game/gametest"
	"tengen/game/mnk"
	"tengen/internal/errtest"
	"tengen/solver"
)

func newSearcher[S game.State[S]](t testing.TB, g game.Game[S]) *solver.Searcher[S] {
	t.Helper()
	s, err := solver.NewSearcher(g, roomy)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// deepen returns what a searcher finds at a depth or, if it ends sooner, last; at 0 it searches to the end.
func deepen[S game.State[S]](ctx context.Context, s *solver.Searcher[S], position S, depth int) (result solver.Result) {
	for result = range s.Deepen(ctx, position) {
		if result.Depth == depth {
			break
		}
	}
	return result
}

func search[S game.State[S]](t testing.TB, g game.Game[S], moves string, depth int) solver.Result {
	t.Helper()
	return deepen(t.Context(), newSearcher(t, g), gametest.Replay(t, g, moves), depth)
}

// A win is seen as soon as the depth reaches it, and the search goes no deeper.
func TestSearcherProvesWins(t *testing.T) {
	g := newMNK(t, "6,6,4")
	result := search(t, g, "c3 a1 d3 f6", 12) // an open two: the first player wins with its 4th stone
	if want := solver.WinAt(36, 7); !result.Proven || result.Moves[0].Value.Score() != want || result.Depth != 3 {
		t.Errorf("%+v; want a proven score of %d at depth 3", result, want)
	}
	result = search(t, g, "c3 a1 d3 f6 e3", 12) // an open three: the second player loses whatever it does
	if want := -solver.WinAt(36, 7); !result.Proven || result.Moves[0].Value.Score() != want || result.Depth != 2 {
		t.Errorf("%+v; want a proven score of %d at depth 2", result, want)
	}
}

// The same limit of depth gives the same result whatever was searched before.
func TestSearcherForgets(t *testing.T) {
	g := connect4.Standard()
	want := search(t, g, "443", 6)
	s := newSearcher(t, g)
	for _, moves := range []string{"4", "44", "4435", "443"} {
		got := deepen(t.Context(), s, gametest.Replay(t, g, moves), 6)
		if moves == "443" && !reflect.DeepEqual(got, want) {
			t.Errorf("after other searches %+v; want %+v", got, want)
		}
	}
}

// Deepening goes ply by ply, and ends where the value is decided or, after depth 1, with its context.
func TestSearcherDeepens(t *testing.T) {
	g := newMNK(t, "6,6,4")
	depth := 0
	for got := range newSearcher(t, g).Deepen(t.Context(), gametest.Replay(t, g, "c3 a1 d3")) { // the first player wins with its 4th stone
		if depth++; got.Depth != depth || got.Proven != (depth == 6) {
			t.Errorf("%+v after %d depths; want a proof at depth 6", got, depth-1)
		}
	}
	if depth != 6 {
		t.Errorf("%d depths; want 6", depth)
	}
	for asks, last := range []int{1, 2, 3} {
		if got := deepen(endsLater(t.Context(), asks), newSearcher(t, g), g.Start(), 0); got.Depth != last {
			t.Errorf("a context that ends after %d looks: depth %d; want %d", asks, got.Depth, last)
		}
	}
}

func TestSearcherPanics(t *testing.T) {
	errtest.Panics(t, func() { search(t, mnk.TicTacToe(), "a1 a2 b1 b2 c1", 1) }) // a finished game
}

// guessless is tic-tac-toe without estimates: a method of another kind hides the embedded one.
type guessless struct{ mnk.State }

func (s guessless) Play(a game.Action) guessless { return guessless{s.State.Play(a)} }
func (s guessless) Estimate(struct{})            {}

type guesslessGame struct{ *mnk.Game }

func (g guesslessGame) Start() guessless { return guessless{g.Game.Start()} }

func TestSearcherNeedsEstimates(t *testing.T) {
	g := guesslessGame{mnk.TicTacToe()}
	if _, err := solver.NewSearcher(g, solver.Default()); err == nil || !strings.Contains(err.Error(), "tictactoe") {
		t.Errorf("error %v; want one that names the game", err)
	}
	if score := solve(t, solver.NewAlphaBeta(g, roomy), g.Start()); score != 0 {
		t.Errorf("alpha-beta, which needs none, finds %d", score)
	}
}

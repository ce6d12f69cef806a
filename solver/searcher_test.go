package solver_test

import (
	"context"
	"errors"
	"reflect"
	"strings"
	"testing"
	"time"

	"tengen/game"
	"tengen/game/connect4"
	"tengen/game/gametest"
	"tengen/game/mnk"
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

func search[S game.State[S]](t testing.TB, g game.Game[S], moves string, limit solver.Limit) solver.Result {
	t.Helper()
	result, err := newSearcher(t, g).Search(t.Context(), gametest.Replay(t, g, moves), limit)
	if err != nil {
		t.Fatal(err)
	}
	return result
}

// A win is seen as soon as the depth reaches it, and the search goes no deeper.
func TestSearcherProvesWins(t *testing.T) {
	g := newMNK(t, "6,6,4")
	result := search(t, g, "c3 a1 d3 f6", solver.Limit{Depth: 12}) // an open two: the first player wins with its 4th stone
	if want := solver.WinAt(36, 7); !result.Proven || result.Moves[0].Value.Score() != want || result.Depth != 3 {
		t.Errorf("%+v; want a proven score of %d at depth 3", result, want)
	}
	result = search(t, g, "c3 a1 d3 f6 e3", solver.Limit{Depth: 12}) // an open three: the second player loses whatever it does
	if want := -solver.WinAt(36, 7); !result.Proven || result.Moves[0].Value.Score() != want || result.Depth != 2 {
		t.Errorf("%+v; want a proven score of %d at depth 2", result, want)
	}
}

// The same limit of depth gives the same result whatever was searched before.
func TestSearcherForgets(t *testing.T) {
	g := connect4.Standard()
	want := search(t, g, "443", solver.Limit{Depth: 6})
	s := newSearcher(t, g)
	for _, moves := range []string{"4", "44", "4435", "443"} {
		got, err := s.Search(t.Context(), gametest.Replay(t, g, moves), solver.Limit{Depth: 6})
		if err != nil {
			t.Fatal(err)
		}
		if moves == "443" && !reflect.DeepEqual(got, want) {
			t.Errorf("after other searches %+v; want %+v", got, want)
		}
	}
}

// Deepening finds at each depth what a search limited to it finds, and ends where the value is decided.
func TestSearcherDeepens(t *testing.T) {
	g := newMNK(t, "6,6,4")
	const moves = "c3 a1 d3" // an open two: the first player wins with its 4th stone
	depth := 0
	for got := range newSearcher(t, g).Deepen(t.Context(), gametest.Replay(t, g, moves)) {
		depth++
		want := search(t, g, moves, solver.Limit{Depth: depth})
		if got.Depth != depth || !reflect.DeepEqual(got.Moves, want.Moves) || got.Nodes != want.Nodes || got.Proven != want.Proven {
			t.Errorf("depth %d: %+v; a search of that depth finds %+v", depth, got, want)
		}
		if got.Proven || depth == 6 {
			break
		}
	}
	if depth < 3 {
		t.Errorf("%d depths", depth)
	}
	for result := range newSearcher(t, g).Deepen(endsLater(t.Context(), 0), g.Start()) {
		if result.Depth != 1 {
			t.Errorf("depth %d after the context has ended", result.Depth)
		}
	}
}

// Depth 1 is searched however little time there is.
func TestSearcherWithoutTime(t *testing.T) {
	g := connect4.Standard()
	got := search(t, g, "4435", solver.Limit{Time: time.Nanosecond})
	if want := search(t, g, "4435", solver.Limit{Depth: 1}); !reflect.DeepEqual(got, want) {
		t.Errorf("%+v; want what depth 1 finds, %+v", got, want)
	}
}

func TestSearcherIsCancelled(t *testing.T) {
	g := connect4.Standard()
	for _, asks := range []int{0, 1, 5} {
		if _, err := newSearcher(t, g).Search(endsLater(t.Context(), asks), g.Start(), solver.Limit{}); !errors.Is(err, context.Canceled) {
			t.Errorf("a context that ends after %d looks: error %v", asks, err)
		}
	}
}

func TestSearcherPanics(t *testing.T) {
	g := mnk.TicTacToe()
	for name, mistake := range map[string]func(){
		"a finished game":  func() { search(t, g, "a1 a2 b1 b2 c1", solver.Limit{Depth: 1}) },
		"a negative limit": func() { search(t, g, "", solver.Limit{Depth: -1}) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: no panic", name)
				}
			}()
			mistake()
		}()
	}
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

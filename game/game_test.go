package game_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"tengen/game"
	"tengen/game/breakthrough"
	"tengen/game/connect4"
	"tengen/game/mnk"
	"tengen/internal/errtest"
)

func TestReplay(t *testing.T) {
	g := connect4.Standard()
	for _, test := range []struct {
		moves []game.Action
		err   string
	}{
		{nil, ""},
		{[]game.Action{3, 3, 2, 4, 2}, ""},
		{[]game.Action{0, 1, 0, 1, 0, 1, 0}, ""},
		{[]game.Action{3, 3, 3, 3, 3, 3, 3}, "move 7 (#3) is illegal"},
		{[]game.Action{0, 1, 0, 1, 0, 1, 0, 2}, "move 8 (#2) comes after the end of the game"},
	} {
		moves := test.moves
		s, err := game.Replay(g, moves)
		if test.err != "" {
			if err == nil || err.Error() != test.err {
				t.Errorf("%v: error %v; want %q", test.moves, err, test.err)
			}
			continue
		}
		want := g.Start()
		for _, a := range moves {
			want = want.Play(a)
		}
		if err != nil || s != want {
			t.Errorf("%v: %v, %v; want %v", test.moves, s, err, want)
		}
	}
	if _, err := game.Replay(g, []game.Action{3, -1}); err == nil || err.Error() != "move 2 (#-1) is illegal" {
		t.Errorf("a number that is no move: error %v", err)
	}
}

func TestInputLen(t *testing.T) {
	g, err := mnk.New(game.Size{Rows: 2, Columns: 3}, 2)
	if err != nil {
		t.Fatal(err)
	}
	if got := game.InputLen(g); got != game.PlacementPlanes*2*3 {
		t.Errorf("%d values, want 4 planes of 2x3", got)
	}
}

// turn is a quarter turn to the left of a board of 2x2, whose policy has one more move, which stays.
var turn = game.Symmetry{Cells: []int32{2, 0, 3, 1}, Actions: []game.Action{2, 0, 3, 1, 4}}

func TestSymmetryApply(t *testing.T) {
	planes := make([]float32, 8)
	turn.Apply(planes, []float32{1, 2, 3, 4, 5, 6, 7, 8})
	if want := []float32{2, 4, 1, 3, 6, 8, 5, 7}; !slices.Equal(planes, want) {
		t.Errorf("planes %v; want %v", planes, want)
	}
}

func TestSymmetryPanicsOnWrongSizes(t *testing.T) {
	for name, apply := range map[string]func(){
		"part of a plane":     func() { turn.Apply(make([]float32, 6), make([]float32, 6)) },
		"planes of two sizes": func() { turn.Apply(make([]float32, 8), make([]float32, 4)) },
	} {
		t.Run(name, func(t *testing.T) { errtest.Panics(t, apply) })
	}
}

func TestCountsStopAtTheEnd(t *testing.T) {
	g, err := mnk.New(game.Size{Rows: 1, Columns: 3}, 3) // always drawn
	if err != nil {
		t.Fatal(err)
	}
	want := []game.Census{
		{Positions: 1}, {Positions: 3}, {Positions: 6}, {Positions: 3, Terminal: game.Results{Draws: 3}},
	}
	if got := slices.Collect(game.CountPositions(t.Context(), g, 100)); !slices.Equal(got, want) {
		t.Errorf("positions %+v; want %+v", got, want)
	}
	if got := slices.Collect(game.CountPositions(t.Context(), g, 1)); !slices.Equal(got, want[:2]) {
		t.Errorf("positions up to ply 1 %+v; want %+v", got, want[:2])
	}
	for depth, want := range []uint64{1, 3, 6, 6, 0} {
		if got := game.Perft(g.Start(), depth); got != want {
			t.Errorf("perft %d is %d; want %d", depth, got, want)
		}
	}
}

// spoken is a game whose notation says how many stones are on the board, beside some of its moves.
type spoken struct{ *mnk.Game }

type spokenState struct{ mnk.State }

func (g spoken) Start() spokenState { return spokenState{g.Game.Start()} }

func (s spokenState) Play(a game.Action) spokenState { return spokenState{s.State.Play(a)} }

func (s spokenState) Format(a game.Action) string {
	if a == 4 {
		return fmt.Sprintf("b2after%d", s.Ply())
	}
	return s.State.Format(a)
}

// Actions have the names that games show, each side its own, and none if the name depends on more.
func TestActionNames(t *testing.T) {
	small, err := breakthrough.New(game.Size{Columns: 3, Rows: 5})
	if err != nil {
		t.Fatal(err)
	}
	pieces := game.ActionNames(small)
	for side, want := range map[game.Side]string{game.First: "a2a3 a2b3  b2a3", game.Second: "a4a3 a4b3  b4a3"} {
		if got := strings.Join(pieces[side][28:30], " ") + "  " + pieces[side][30]; got != want || pieces[side][27] != "" {
			t.Errorf("the %v's actions 28 to 30 are %s; want %s; action 27 is %q", side, got, want, pieces[side][27])
		}
	}
	want := []string{"a3", "b3", "c3", "a2", "", "c2", "a1", "b1", "c1"}
	if got := game.ActionNames(spoken{mnk.TicTacToe()}); !slices.Equal(got[game.First], want) || !slices.Equal(got[game.Second], want) {
		t.Errorf("the names are %q; want %q", got, want)
	}
}

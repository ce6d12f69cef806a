package eval_test

import (
	"context"
	"reflect"
	"slices"
	"strings"
	"testing"

	"tengen/eval"
	"tengen/game"
	"tengen/game/connect4"
	"tengen/game/mnk"
	"tengen/players/playertest"
)

// unfinished is the number of different positions after that many plies in which the game goes on.
func unfinished[S game.State[S]](g game.Game[S], plies int) int {
	census := slices.Collect(game.CountPositions(context.Background(), g, plies))[plies]
	return int(census.Positions - census.Terminal.Total())
}

// checkOpenings reports openings that are illegal, over, of the wrong length or lead to the same position.
func checkOpenings[S game.State[S]](t *testing.T, g game.Game[S], plies int, openings [][]game.Action) {
	t.Helper()
	seen := map[game.Key]int{}
	for i, moves := range openings {
		s, err := game.Replay(g, moves)
		if err != nil {
			t.Fatalf("opening %d: %v", i, err)
		}
		if _, over := s.Outcome(); over || len(moves) != plies {
			t.Errorf("opening %d, %q, has %d plies, over: %v; want %d plies and the game going on", i, game.FormatMoves(g.Start(), moves), len(moves), over, plies)
		}
		if j, ok := seen[s.Key()]; ok {
			t.Errorf("openings %d and %d lead to the same position", j, i)
		}
		seen[s.Key()] = i
	}
}

func TestOpeningsAreAllThereAre(t *testing.T) {
	g := mnk.TicTacToe()
	for _, c := range []struct{ plies, want int }{{0, 1}, {1, 9}, {2, 72}, {3, 252}, {5, unfinished(g, 5)}, {8, unfinished(g, 8)}} {
		openings, err := eval.Openings(g, c.plies, 10_000, 1)
		if err != nil {
			t.Fatal(err)
		}
		if len(openings) != c.want {
			t.Errorf("%d plies: %d openings, want %d", c.plies, len(openings), c.want)
		}
		checkOpenings(t, g, c.plies, openings)
	}
	// Columns are less alike than cells: some positions after four plies come up four times as often as others.
	openings, err := eval.Openings(connect4.Standard(), 4, 10_000, 1)
	if err != nil {
		t.Fatal(err)
	}
	if want := 1120; len(openings) != want {
		t.Errorf("Connect Four: %d openings of 4 plies, want %d", len(openings), want)
	}
}

func TestOpeningsFollowFromTheSeed(t *testing.T) {
	g := connect4.Standard()
	draw := func(n int, seed uint64) [][]game.Action {
		openings, err := eval.Openings(g, 6, n, seed)
		if err != nil {
			t.Fatal(err)
		}
		checkOpenings(t, g, 6, openings)
		return openings
	}
	many := draw(200, 1)
	if len(many) != 200 {
		t.Fatalf("%d openings, want 200", len(many))
	}
	if !reflect.DeepEqual(draw(50, 1), many[:50]) {
		t.Error("50 openings are not the first 50 of 200")
	}
	if reflect.DeepEqual(draw(200, 2), many) {
		t.Error("two seeds give the same openings")
	}
}

// Fixed openings are played in turn, each by both sides, and those that cannot be are refused.
func TestFixedOpenings(t *testing.T) {
	g := mnk.TicTacToe()
	chance := playertest.Player(t, g, "random")
	cfg := config(10)
	cfg.OpeningPlies = 3
	cfg.Fixed = eval.FixedOpenings{Name: "two", Moves: [][]game.Action{{4}, {0, 8}}}
	result, games := play(t, cfg, g, chance, chance)
	for _, r := range games {
		if want := cfg.Fixed.Moves[r.Number/2%2]; r.Opening != len(want) || !slices.Equal(r.Moves[:r.Opening], want) {
			t.Errorf("game %d begins with %v, of which %d were given; want %v", r.Number, r.Moves, r.Opening, want)
		}
	}
	if result.Openings != 2 || result.OpeningPlies != 0 || result.FixedOpenings != "two" || !strings.Contains(result.Text(), "2 (two), seed 1") {
		t.Errorf("the result is about %d openings of %d plies, %q:\n%s", result.Openings, result.OpeningPlies, result.FixedOpenings, result.Text())
	}
	for moves, want := range map[game.Action]string{4: "move 2 (#4) is illegal", 9: "illegal"} {
		cfg.Fixed.Moves = [][]game.Action{{4, moves}}
		if _, err := eval.Play(t.Context(), cfg, g, chance, chance, nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v; want one with %q", err, want)
		}
	}
	cfg.Fixed.Moves = [][]game.Action{{0, 3, 1, 4, 2}}
	if _, err := eval.Play(t.Context(), cfg, g, chance, chance, nil); err == nil || !strings.Contains(err.Error(), "the game is over") {
		t.Errorf("error %v; want one about a game that is over", err)
	}
}

package players_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"tengen/eval"
	"tengen/game"
	"tengen/game/connect4"
	"tengen/game/mnk"
	"tengen/internal/fulltest"
	"tengen/internal/random"
	"tengen/players"
	"tengen/solver"
)

// ticTacToe builds players that need no network.
func ticTacToe() players.Builder[mnk.State] {
	g := mnk.TicTacToe()
	return players.Builder[mnk.State]{
		Game:   g,
		Solver: func() (solver.Solver[mnk.State], error) { return solver.NewAlphaBeta(g, solver.Default()), nil },
	}
}

// analyze asks the player of a SPEC about a position.
func analyze[S game.State[S]](t *testing.T, b players.Builder[S], text string, s S) *players.Analysis {
	t.Helper()
	a, err := analyzeOne(t.Context(), newPlayer(t, b, text), s, random.New(1, random.Test))
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// Players that know the whole game never lose it, and draw among themselves.
func TestExactPlayersDoNotLose(t *testing.T) {
	b := ticTacToe()
	for _, exact := range []string{"solver", "alphabeta:9", "alphabeta:1h"} {
		for against, even := range map[string]bool{"random": false, "solver": true, "uct:200": false} {
			cfg := eval.Default()
			cfg.Games, cfg.OpeningPlies = fulltest.Pick(20, 60), 0
			r, err := eval.Play(t.Context(), cfg, b.Game, build(t, b, exact), build(t, b, against), nil)
			if err != nil {
				t.Fatal(err)
			}
			if total := r.Total(); total.Losses > 0 || even && total.Draws < total.Games() {
				t.Errorf("%s", r)
			}
		}
	}
}

// Chance chooses among all best moves, and among no others: all nine first moves of tic-tac-toe draw; in the corner's
// answer there is only the centre.
func TestExactPlayersLeaveEqualMovesToChance(t *testing.T) {
	b := ticTacToe()
	start := b.Game.Start()
	for _, exact := range []string{"solver", "alphabeta:9"} {
		p := newPlayer(t, b, exact)
		var first, second [9]int
		for seed := range uint64(200) {
			positions := []mnk.State{start, start.Play(0)}
			moves := make([]game.Action, 2)
			rngs := []*rand.Rand{random.New(seed, random.Test), random.New(seed, random.Test)}
			if err := p.Choose(t.Context(), at(positions...), rngs, moves); err != nil {
				t.Fatal(err)
			}
			first[moves[0]]++
			second[moves[1]]++
		}
		if slices.Min(first[:]) == 0 || second[4] != 200 {
			t.Errorf("%s: first moves %v, answers to the corner %v", exact, first, second)
		}
	}
}

func TestExactAnalysis(t *testing.T) {
	b := ticTacToe()
	moves, _, err := game.ParseMoves(b.Game.Start(), "a3 b3 a2 b2") // a1 and b1 both win for their side
	if err != nil {
		t.Fatal(err)
	}
	s, err := game.Replay(b.Game, moves)
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"solver", "alphabeta:2"} {
		a := analyze(t, b, text, s)
		if b.Game.Start().Format(a.Best) != "a1" || a.Value != 1 || a.Proven != game.Win || a.Policy[a.Best] != 1 || len(a.Moves) != 5 ||
			text == "solver" && a.Simulations == 0 {
			t.Errorf("%s: %+v", text, a)
		}
	}
}

// The depth is that of the SPEC: a win in three plies is found by a search of three.
func TestAlphaBetaSeesAsFarAsItsDepth(t *testing.T) {
	b := players.Builder[connect4.State]{Game: connect4.Standard()}
	s, err := game.Replay(b.Game, []game.Action{2, 2, 3, 3}) // 2 or 5 next makes three in a row, open at both ends
	if err != nil {
		t.Fatal(err)
	}
	for depth, want := range map[string]game.Result{"alphabeta:2": game.Unknown, "alphabeta:3": game.Win} {
		if a := analyze(t, b, depth, s); a.Proven != want {
			t.Errorf("%s: %+v; want %v", depth, a, want)
		}
	}
}

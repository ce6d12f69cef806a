package mcts_test

import (
	"math"
	"testing"

	"tengen/game"
	"tengen/game/connect4"
	"tengen/game/mnk"
	"tengen/game/othello"
	"tengen/internal/random"
	"tengen/mcts"
	"tengen/mcts/internal/searchtest"
)

// One won move makes a position won; when all moves are lost, it is lost (Winands et al. 2008, section 3.1). Draws are
// their counterpart: when all moves are known, the best of them counts. Outcomes are those of the side to move at the end
// of the line, so =-1 after one or three moves is a win for the side to move at the root.
func TestProofs(t *testing.T) {
	for _, test := range []struct {
		lines string
		want  game.Result
	}{
		{"a=-1", game.Win},
		{"a b=-1 c", game.Win},
		{"a=+1", game.Loss},
		{"a=+1 b=+1", game.Loss},
		{"a=+1 b", game.Unknown},
		{"a=0", game.Draw},
		{"a=0 b=+1", game.Draw},
		{"a=0 b=0", game.Draw},
		{"a=0 b", game.Unknown},
		{"a=0 b=-1", game.Win},
		{"aa=+1 ab=+1", game.Win},
		{"aa=+1 ab", game.Unknown},
		{"aa=-1 ab ba=-1", game.Loss},
		{"aa=-1 ba=0", game.Draw},
		{"aa=0 ab=+1 b=+1", game.Draw},
		{"aaa=-1 aab aba=-1", game.Win},
		{"aaa=-1 aab aba=-1 b=0", game.Win},
		{"aaa=+1 aab=0 b=+1", game.Draw},
	} {
		s := searched(t, alphaZero(), toyActions, newToy(test.lines), &mcts.Uniform[toy]{}, 50)
		if got := s.Proven(); got != test.want {
			t.Errorf("%q: proven a %v, want %v", test.lines, got, test.want)
		}
		if test.want != game.Unknown && float64(s.Value()) != test.want.Value() {
			t.Errorf("%q: root's value is %v, want that of a %v", test.lines, s.Value(), test.want)
		}
	}
}

// A finished root is proven by its rules at the first simulation, without an evaluation.
func TestFinishedRoot(t *testing.T) {
	for lines, want := range map[string]game.Result{"=-1": game.Loss, "=0": game.Draw, "=+1": game.Win} {
		s := searched(t, alphaZero(), toyActions, newToy(lines), nil, 10)
		if s.Proven() != want || s.Simulations() != 1 || s.Visits() != 0 || len(s.Stats(nil)) != 0 || len(s.PV(nil)) != 0 {
			t.Errorf("outcome %s: proven a %v after %d simulations", lines, s.Proven(), s.Simulations())
		}
	}
}

// Whatever is proven anywhere in a tree is true, and enough simulations prove everything, without and with a prover.
func TestProofsAgreeWithMinimax(t *testing.T) {
	for seed := range uint64(100) {
		checkProofs(t, alphaZero(), bushActions, newBush(seed))
	}
	checkProofsOf(t, mnk.TicTacToe(), 100)
	g, err := connect4.New(game.Size{Rows: 4, Columns: 3}, 3)
	if err != nil {
		t.Fatal(err)
	}
	checkProofsOf(t, g, 30)
	small, err := othello.New(4)
	if err != nil {
		t.Fatal(err)
	}
	checkProofsOf(t, small, 30)
}

func checkProofsOf[S game.State[S]](t *testing.T, g game.Game[S], positions int) {
	t.Helper()
	for seed := range uint64(positions) {
		rng := random.New(seed, random.Test)
		root := searchtest.RandomPosition(g, 2+rng.IntN(g.MaxPlies()/2), rng)
		checkProofs(t, alphaZero(), g.Actions(), root)
		checkProofs(t, withProver(1+rng.IntN(20)), g.Actions(), root)
	}
}

func checkProofs[S game.State[S]](t *testing.T, cfg mcts.Config, actions int, root S) {
	t.Helper()
	s := begun(cfg, actions, root, 100_000, nil)
	drive(t, s, &mcts.Uniform[S]{}, 8)
	if s.Proven() == game.Unknown {
		t.Fatalf("%v: nothing is proven after %d simulations", root, s.Simulations())
	}
	if z := searchtest.Minimax(root); s.Proven().Value() != z {
		t.Fatalf("%v: proven a %v, minimax has %v", root, s.Proven(), z)
	}
	s.Walk(func(path []game.Action, e mcts.EdgeStat) {
		if e.Proven == game.Unknown || len(path) > 2 {
			return
		}
		state := root
		for _, a := range path {
			state = state.Play(a)
		}
		if z := -searchtest.Minimax(state); e.Proven.Value() != z {
			t.Fatalf("%v after %v: proven a %v, minimax has %v", root, path, e.Proven, z)
		}
	})
}

// A move that is proven lost is not searched again (Winands et al. 2008, section 3.2), however good it looks to the prior,
// and neither is anything below a known draw.
func TestKnownMovesAreNotSearched(t *testing.T) {
	ev := written([]float32{0.8, 0.1, 0.1}, map[string]float32{"a": -1, "b": 0.5})
	s := searched(t, alphaZero(), toyActions, newToy("aa=-1 b ca=0"), ev, 50)
	lost, drawn := statOf(t, s, letter('a')), statOf(t, s, letter('c'))
	if lost.Proven != game.Loss || lost.Q != -1 || lost.Visits != 1 {
		t.Errorf("the lost move has %+v", lost)
	}
	if drawn.Proven != game.Draw || drawn.Q != 0 {
		t.Errorf("the drawn move has %+v", drawn)
	}
	before := nodesBelow(s, letter('c'))
	simulate(t, s, ev, 200)
	if visits := statOf(t, s, letter('a')).Visits; visits != lost.Visits {
		t.Errorf("the lost move has %d visits, had %d when it was proven", visits, lost.Visits)
	}
	if statOf(t, s, letter('c')).Visits == drawn.Visits {
		t.Errorf("the drawn move gets no more visits")
	}
	if after := nodesBelow(s, letter('c')); after != before {
		t.Errorf("the drawn move was searched: %d visits below, were %d", after, before)
	}
}

// nodesBelow is the number of visits to the moves below the root's move a.
func nodesBelow[S game.State[S]](s *mcts.Search[S], a game.Action) int {
	visits := 0
	s.Walk(func(path []game.Action, e mcts.EdgeStat) {
		if len(path) > 1 && path[0] == a {
			visits += e.Visits
		}
	})
	return visits
}

// Where a move is proven, its exact value takes the place of the values of all its simulations, those before included, and that
// shows in the nodes above, proven or not. The third simulation expands aa and finds that aaa, the only move, ends the game.
func TestProofReplacesValue(t *testing.T) {
	ev := written([]float32{1, 0}, map[string]float32{"": 0.5, "a": -0.75, "aa": 0.25})
	for lines, want := range map[string]map[string]mcts.EdgeStat{
		"aaa=-1 b": {
			"":    {Visits: 3, ValueSum: -3, Proven: game.Loss},
			"a":   {Visits: 2, ValueSum: 2, Proven: game.Win, Prior: 1},
			"aa":  {Visits: 1, ValueSum: -1, Proven: game.Loss, Prior: 1},
			"aaa": {Proven: game.Win, Prior: 1},
			"b":   {},
		},
		"aaa=+1 b": {
			"":    {Visits: 3, ValueSum: 1 + 1 - 0.5},
			"a":   {Visits: 2, ValueSum: -2, Proven: game.Loss, Prior: 1},
			"aa":  {Visits: 1, ValueSum: 1, Proven: game.Win, Prior: 1},
			"aaa": {Proven: game.Loss, Prior: 1},
			"b":   {},
		},
	} {
		searched(t, alphaZero(), toyActions, newToy(lines), ev, 3).Walk(func(path []game.Action, e mcts.EdgeStat) {
			if line := word(path); e != want[line] {
				t.Errorf("%q: %q has %+v, want %+v", lines, line, e, want[line])
			}
		})
	}
}

// A move that ends the game is known when its node is expanded, however little the evaluator thinks of it: a win in one
// takes one simulation, the defence against it one more for each move that does not defend.
func TestLookAhead(t *testing.T) {
	ev := written([]float32{1, 0, 0}, map[string]float32{"": -0.5, "a": 0.9, "b": 0.9})
	won := searched(t, alphaZero(), toyActions, newToy("a b c=-1"), ev, 1)
	if won.Proven() != game.Win || won.Value() != 1 {
		t.Errorf("a win in one is proven a %v with value %v", won.Proven(), won.Value())
	}
	if pv := won.PV(nil); len(pv) > 0 && pv[0] != letter('c') {
		t.Errorf("the principal variation is %v", pv)
	}
	threatened := searched(t, alphaZero(), toyActions, newToy("aa=-1 ab b"), ev, 2)
	if lost := statOf(t, threatened, letter('a')); lost.Proven != game.Loss || lost.Visits != 1 {
		t.Errorf("the move that allows a win in one has %+v", lost)
	}
	drawn := searched(t, alphaZero(), toyActions, newToy("a=0"), ev, 1)
	if drawn.Proven() != game.Draw || drawn.Value() != 0 || math.Signbit(float64(drawn.Value())) {
		t.Errorf("the last move draws, but the position is proven a %v with value %v", drawn.Proven(), drawn.Value())
	}
}

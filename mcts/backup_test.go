package mcts_test

import (
	"fmt"
	"math"
	"testing"

	"tengen/game"
	"tengen/game/connect4"
	"tengen/game/mnk"
	"tengen/internal/random"
	"tengen/mcts"
	"tengen/mcts/internal/searchtest"
)

// A value is that of the side to move, and changes its sign from ply to ply (Silver et al. 2017, Methods, "Backup"). An
// evaluator that prefers the first player by 0.5 everywhere must leave 0.5 with every move of the first player, -0.5 with
// every move of the second, at every depth.
func TestValueSign(t *testing.T) {
	g := connect4.Standard()
	ev := evaluatorFunc[connect4.State](func(leaf connect4.State, prior []float32) float32 {
		for _, a := range leaf.Legal(nil) {
			prior[a] = 1 / float32(g.Actions())
		}
		if leaf.ToMove() == game.First {
			return 0.5
		}
		return -0.5
	})
	s := searched(t, alphaZero(), g.Actions(), g.Start(), ev, 400)
	visited := map[int]int{}
	s.Walk(func(path []game.Action, e mcts.EdgeStat) {
		if e.Visits == 0 {
			return
		}
		depth := len(path)
		visited[depth]++
		want := 0.5 // for the first player, who makes the moves of odd depth
		if depth%2 == 0 {
			want = -0.5
		}
		if got := e.ValueSum / float64(e.Visits); math.Abs(got-want) > 1e-9 {
			t.Fatalf("after %v: Q = %v, want %v", path, got, want)
		}
	})
	if visited[1] != 7 || visited[2] < 7 || visited[3] < 7 {
		t.Fatalf("moves visited by depth: %v", visited)
	}
	if v := s.Value(); v != 0.5 {
		t.Errorf("root's value is %v, want 0.5", v)
	}
	for _, stat := range s.Stats(nil) {
		if stat.Q != 0.5 {
			t.Errorf("move %d: Q = %v, want 0.5", stat.Action, stat.Q)
		}
	}
}

// Every sum follows from the results that are proven, or from the sums below and what the evaluator said, whatever was proven
// on the way, with leaves in flight and after moves.
func TestSumsFollowFromThoseBelow(t *testing.T) {
	for seed := range uint64(100) {
		checkSums(t, bushActions, newBush(seed), seed)
	}
	for seed := range uint64(10) {
		checkSums(t, 9, mnk.TicTacToe().Start(), seed)
		checkSums(t, 7, searchtest.RandomPosition(connect4.Standard(), 16, random.New(seed, random.Test)), seed)
	}
}

// checkSums searches on after each of some moves, with several leaves in flight, and looks at the tree every few simulations.
func checkSums[S game.State[S]](t *testing.T, actions int, root S, seed uint64) {
	t.Helper()
	ev := hashed[S](seed)
	s := mcts.New[S](alphaZero(), actions)
	s.Reset(root)
	for range 3 {
		for range 12 {
			s.Begin(s.Simulations()+25, nil)
			drive(t, s, ev, 4)
			compareSums(t, s, ev)
		}
		if _, over := s.Root().Outcome(); over {
			return
		}
		s.Advance(decided(s, 1, random.New(seed, random.Test)).Action)
	}
}

func compareSums[S game.State[S]](t *testing.T, s *mcts.Search[S], ev evaluatorFunc[S]) {
	t.Helper()
	below := map[string]float64{} // the sum of the moves' sums, by the path of their node
	s.Walk(func(path []game.Action, e mcts.EdgeStat) {
		if len(path) > 0 {
			below[fmt.Sprint(path[:len(path)-1])] += e.ValueSum
		}
	})
	s.Walk(func(path []game.Action, e mcts.EdgeStat) {
		want := 0.0
		switch {
		case e.Proven != game.Unknown:
			want = float64(e.Visits) * e.Proven.Value()
		case e.Visits > 0:
			state := s.Root()
			for _, a := range path {
				state = state.Play(a)
			}
			want = -(float64(ev(state, make([]float32, 64))) + below[fmt.Sprint(path)])
		}
		if math.Abs(e.ValueSum-want) > 1e-9 {
			t.Fatalf("after %v: %+v, want the sum %v", path, e, want)
		}
	})
}

// A finished game is scored by its rules (Silver et al. 2018, Methods, "Search"): the evaluator never sees one, and gets
// every other position once.
func TestEvaluatorSeesNoFinishedGame(t *testing.T) {
	for seed := range uint64(20) {
		checkLeaves(t, bushActions, newBush(seed))
	}
	checkLeaves(t, 9, mnk.TicTacToe().Start())
	checkLeaves(t, 7, connect4.Standard().Start())
}

func checkLeaves[S game.State[S]](t *testing.T, actions int, root S) {
	s := mcts.New[S](alphaZero(), actions)
	s.Reset(root)
	leaves := 0
	ev := evaluatorFunc[S](func(leaf S, prior []float32) float32 {
		leaves++
		if _, over := leaf.Outcome(); over {
			t.Fatalf("the evaluator gets the finished game %v", leaf)
		}
		return hashed[S](1)(leaf, prior)
	})
	simulate(t, s, ev, 2000)
	expanded := 0
	s.Walk(func(path []game.Action, e mcts.EdgeStat) {
		state := root
		for _, a := range path {
			state = state.Play(a)
		}
		z, over := state.Outcome()
		switch {
		case e.Visits == 0:
		case !over:
			expanded++
		case e.ValueSum != -float64(z)*float64(e.Visits):
			t.Errorf("the finished game %v has the sum %v after %d visits", state, e.ValueSum, e.Visits)
		}
	})
	if expanded != leaves {
		t.Errorf("%d evaluations for %d positions", leaves, expanded)
	}
}

// A value that is not one would spoil every sum above it.
func TestExpandRefusesValue(t *testing.T) {
	for _, value := range []float32{float32(math.NaN()), float32(math.Inf(1)), -1.5} {
		s := begun(alphaZero(), toyActions, newToy("a b"), 1, nil)
		s.Select()
		mustPanic(t, func() { s.Expand(make([]float32, toyActions), value) })
	}
}

func mustPanic(t *testing.T, f func()) {
	t.Helper()
	defer func() {
		if recover() == nil {
			t.Error("no panic")
		}
	}()
	f()
}

package mcts_test

import (
	"math"
	"testing"

	"tengen/game"
	"tengen/game/connect4"
	"tengen/internal/errtest"
	"tengen/mcts"
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

// A value that is not one would spoil every sum above it.
func TestExpandRefusesValue(t *testing.T) {
	for _, value := range []float32{float32(math.NaN()), float32(math.Inf(1)), -1.5} {
		s := begun(alphaZero(), toyActions, newToy("a b"), 1, nil)
		s.Select()
		errtest.Panics(t, func() { s.Expand(make([]float32, toyActions), value) })
	}
}

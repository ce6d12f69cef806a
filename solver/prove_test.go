package solver_test

import (
	"testing"

	"pgregory.net/rapid"

	"tengen/game"
	"tengen/game/gametest"
	"tengen/game/mnk"
	"tengen/solver"
)

// What a search with forced moves takes for decided is so: in the sign of its value and of each of its best moves, and the winner
// is promised no more than it can have.
func TestForcedMovesAreExact(t *testing.T) {
	three, four, upright := newMNK(t, "4,4,3"), newMNK(t, "4,4,4"), newConnect4(t, "5,4,4")
	t.Run("4,4,3", func(t *testing.T) { rapid.Check(t, forcedCheck(three)) })
	t.Run("4,4,4", func(t *testing.T) { rapid.Check(t, forcedCheck(four)) })
	t.Run("connect4", func(t *testing.T) { rapid.Check(t, forcedCheck(upright)) })
}

// forcedCheck keeps one exact solver for all draws.
func forcedCheck[S game.State[S]](g game.Game[S]) func(t *rapid.T) {
	exact := solver.NewAlphaBeta(g, roomy)
	return func(t *rapid.T) { checkForced(t, g, exact) }
}

func checkForced[S game.State[S]](t *rapid.T, g game.Game[S], exact *solver.AlphaBeta[S]) {
	config := rapid.SampledFrom(configs).Draw(t, "config")
	config.ForcedNodes = rapid.SampledFrom([]int{1, 30}).Draw(t, "nodes")
	depth := rapid.IntRange(1, 4).Draw(t, "depth")
	s := drawPosition(t, g, 3)
	if len(s.Legal(nil)) == 0 {
		return
	}
	searcher, err := solver.NewSearcher(g, config)
	if err != nil {
		t.Fatal(err)
	}
	result := deepen(t.Context(), searcher, s, depth)
	score := func(s S) solver.Score {
		score, err := exact.Solve(t.Context(), s)
		if err != nil {
			t.Fatal(err)
		}
		return score
	}
	claimed := result.Moves[0].Value.Score()
	if !result.Proven {
		if claimed != 0 {
			t.Fatalf("%+v: decided, but not proven", result)
		}
		return
	}
	truth := score(s)
	if claimed.Sign() != truth.Sign() || max(claimed, -claimed) > max(truth, -truth) {
		t.Fatalf("%+v: a score of %d; want %d, or less for the winner", result, claimed, truth)
	}
	for _, m := range result.Best() {
		if after := -score(s.Play(m.Action)); after.Sign() != truth.Sign() {
			t.Fatalf("%+v: after %s the score is %d, before it %d", result, g.Start().Format(m.Action), after, truth)
		}
	}
}

// A chain of fours is found at depth 1, however long, and won move by move; without proofs it is not.
func TestForcedMovesAreFound(t *testing.T) {
	g := mnk.Gomoku()
	const moves = "b14 a14 c14 a1 d14 o1 e13 o3 e12 o5" // e14 makes two fours, of which one is walled in
	s := gametest.Replay(t, g, moves)
	with, err := solver.NewSearcher(g, solver.DefaultPlayer(g))
	if err != nil {
		t.Fatal(err)
	}
	for plies := 5; plies > 0; plies -= 2 {
		result := deepen(t.Context(), with, s, 1)
		if want := solver.WinAt(g.MaxPlies(), s.Ply()+plies); !result.Proven || result.Moves[0].Value.Score() != want || len(result.Best()) > 2 {
			t.Fatalf("%d plies before the end: %+v; want a move, or two that complete a line, and a score of %d", plies, result.Best(), want)
		}
		if s = s.Play(result.Moves[0].Action); plies > 1 {
			reply := deepen(t.Context(), with, s, 1)
			if !reply.Proven || reply.Moves[0].Value.Score() >= 0 {
				t.Fatalf("the reply: %+v; want a proven loss", reply)
			}
			s = s.Play(reply.Moves[0].Action)
		}
	}
	if z, over := s.Outcome(); !over || z != -1 {
		t.Errorf("not won: %v, %t", z, over)
	}
	if without := search(t, g, moves, 1); without.Proven {
		t.Errorf("without proofs: %+v", without)
	}
}

// Players of games in which cells lie on others do without proofs.
func TestDefaultPlayer(t *testing.T) {
	if c := solver.DefaultPlayer(newConnect4(t, "7,6,4")); c.ForcedNodes != 0 {
		t.Errorf("%d nodes in Connect Four; want none", c.ForcedNodes)
	}
	if c := solver.DefaultPlayer(mnk.TicTacToe()); c.ForcedNodes == 0 {
		t.Error("no nodes in tic-tac-toe")
	}
}

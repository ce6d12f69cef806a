package solver_test

import (
	"testing"

	"pgregory.net/rapid"

	"tengen/game"
	"tengen/game/connect4"
	"tengen/game/gametest"
	"tengen/game/mnk"
	"tengen/solver"
)

var (
	_ solver.Solver[mnk.State] = (*solver.AlphaBeta[mnk.State])(nil)
	_ solver.Estimator         = mnk.State{}
	_ solver.Estimator         = connect4.State{}
)

// In a crowded table, hardly anything is found again.
var (
	roomy   = solver.Config{TableEntries: 1 << 13}
	crowded = solver.Config{TableEntries: 8}
	configs = []solver.Config{roomy, crowded}
)

var (
	newMNK      = gametest.Parser(mnk.Parse)
	newConnect4 = gametest.Parser(connect4.Parse)
)

// solve returns the score of s.
func solve[S game.State[S]](t testing.TB, by solver.Solver[S], s S) solver.Score {
	t.Helper()
	score, err := by.Solve(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	return score
}

// minimax is the oracle. It returns the score of s and puts the scores of all positions that it visits into known.
func minimax[S game.State[S]](s S, maxPlies int, known map[game.Key]solver.Score) solver.Score {
	if score, ok := known[s.Key()]; ok {
		return score
	}
	best, over := solver.Final(s, maxPlies)
	if !over {
		best = -solver.WinAt(maxPlies, 0)
		for _, a := range s.Legal(nil) {
			best = max(best, -minimax(s.Play(a), maxPlies, known))
		}
	}
	known[s.Key()] = best
	return best
}

// drawPosition plays at least the given number of random moves, or until the game is over.
func drawPosition[S game.State[S]](t *rapid.T, g game.Game[S], least int) S {
	s := g.Start()
	for range rapid.IntRange(least, g.MaxPlies()).Draw(t, "plies") {
		legal := s.Legal(nil)
		if len(legal) == 0 {
			break
		}
		s = s.Play(rapid.SampledFrom(legal).Draw(t, "move"))
	}
	return s
}

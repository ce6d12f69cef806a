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
	_ solver.Solver[mnk.State] = (*solver.Minimax[mnk.State])(nil)
	_ solver.Solver[mnk.State] = (*solver.AlphaBeta[mnk.State])(nil)
	_ solver.Solver[mnk.State] = (*solver.Tablebase[mnk.State])(nil)
	_ solver.Estimator         = mnk.State{}
	_ solver.Estimator         = connect4.State{}
)

// refinements are the ways to configure a solver, from the plainest on.
var refinements = []struct {
	name   string
	config solver.Config
}{
	{"plain", solver.Config{}},
	{"transpositions", solver.Config{Transpositions: true, TableEntries: 1 << 13}},
	{"transpositions and symmetries", solver.Config{Transpositions: true, Symmetries: true, TableEntries: 1 << 13}},
}

// crowded is a table so small that hardly anything is found in it again.
var crowded = solver.Config{Transpositions: true, Symmetries: true, TableEntries: 8}

// configs are all of these.
var configs = []solver.Config{refinements[0].config, refinements[1].config, refinements[2].config, crowded}

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

// positions returns all positions of a game.
func positions[S game.State[S]](g game.Game[S]) []S {
	seen := map[game.Key]bool{g.Start().Key(): true}
	all := []S{g.Start()}
	for i := 0; i < len(all); i++ {
		for _, a := range all[i].Legal(nil) {
			child := all[i].Play(a)
			if !seen[child.Key()] {
				seen[child.Key()] = true
				all = append(all, child)
			}
		}
	}
	return all
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

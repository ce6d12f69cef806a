package connect4

import (
	"testing"

	"tengen/game/connect4"
	"tengen/internal/random"
	"tengen/solver"
)

// newGeneral returns the oracle, a solver that knows the rules alone.
func newGeneral(g *connect4.Game, entries int) *solver.AlphaBeta[connect4.State] {
	return solver.NewAlphaBeta(g, solver.Config{TableEntries: entries})
}

// wander plays up to plies random moves.
func wander(s connect4.State, plies int, choose func(n int) int) connect4.State {
	for range plies {
		legal := s.Legal(nil)
		if len(legal) == 0 {
			break
		}
		s = s.Play(legal[choose(len(legal))])
	}
	return s
}

func agrees(t *testing.T, s *Solver, general *solver.AlphaBeta[connect4.State], state connect4.State) {
	t.Helper()
	want, _ := general.Solve(t.Context(), state)
	if got, err := s.Solve(t.Context(), state); got != want || err != nil {
		t.Errorf("%s: score %d of %v, error %v; want %d", state.Game().Name(), got, state.Key(), err, want)
	}
	if got, err := s.Sign(t.Context(), state); got != want.Sign() || err != nil {
		t.Errorf("%s: sign %d of %v, error %v; want %d", state.Game().Name(), got, state.Key(), err, want.Sign())
	}
}

// TestAgainstGeneralSolver covers boards of even and odd numbers of cells, narrow and wide, and those that fill 64 bits, from
// positions that the general solver can finish.
func TestAgainstGeneralSolver(t *testing.T) {
	for _, size := range []struct{ columns, rows, left int }{
		{4, 1, 4}, {4, 3, 12}, {4, 4, 12}, {5, 3, 12}, {5, 4, 12}, {5, 5, 11}, {6, 3, 11}, {7, 6, 10}, {8, 7, 10}, {9, 6, 10},
		{4, 15, 12}, {16, 3, 6}, {32, 1, 6},
	} {
		g := board4(t, size.columns, size.rows)
		s, general := solverOf(t, g), newGeneral(g, 1<<18)
		rng := random.New(1, random.Test, uint64(size.columns), uint64(size.rows))
		for range 100 {
			stones := size.columns*size.rows - rng.IntN(size.left+1)
			agrees(t, s, general, wander(g.Start(), stones, rng.IntN))
		}
	}
}

// FuzzSolve plays the moves on a board of up to 5x5 cells.
func FuzzSolve(f *testing.F) {
	f.Add(byte(4), byte(4), []byte("\x00\x01\x02\x03\x00\x01"))
	f.Add(byte(5), byte(4), []byte("\x02\x02\x02\x01\x03\x01\x03\x04\x00\x02\x01\x01\x04"))
	f.Add(byte(5), byte(2), []byte("\x02\x01\x02\x01"))
	f.Fuzz(func(t *testing.T, columns, rows byte, moves []byte) {
		g := board4(t, 4+int(columns)%2, 1+int(rows)%5)
		state := wander(g.Start(), min(len(moves), g.MaxPlies()), func(n int) int {
			move := moves[0]
			moves = moves[1:]
			return int(move) % n
		})
		if g.MaxPlies()-state.Ply() > 14 {
			t.Skip("too much for the general solver")
		}
		agrees(t, solverOf(t, g), newGeneral(g, 1<<14), state)
	})
}

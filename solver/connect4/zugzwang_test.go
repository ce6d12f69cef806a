package connect4

import (
	"testing"

	"tengen/internal/random"
)

// TestFollows compares what is proved without a search with the general solver: on boards of even and odd heights and widths, with even and odd
// numbers of empty cells, of draws and of wins.
func TestFollows(t *testing.T) {
	var claims [2][2]int // by the parity of the empty cells, and the score
	for _, size := range []struct{ columns, rows, left int }{
		{4, 4, 14}, {5, 4, 13}, {4, 5, 13}, {5, 5, 12}, {6, 5, 12}, {7, 6, 11}, {8, 7, 10}, {4, 15, 12},
	} {
		g := board4(t, size.columns, size.rows)
		b, m := newBoard(g.Board()), newGeneral(g, 1<<18)
		rng := random.New(3, random.Test, uint64(size.columns), uint64(size.rows))
		for range 3000 {
			s := wander(g.Start(), size.columns*size.rows-1-rng.IntN(size.left), rng.IntN)
			if _, over := s.Outcome(); over {
				continue
			}
			key := s.Key()
			p := b.position(key[0], key[1])
			for score := range 2 {
				if !b.follows(p, s.Ply(), score) {
					continue
				}
				claims[(b.cells-s.Ply())%2][score]++
				if got, _ := m.Solve(t.Context(), s); int(-got) < score {
					t.Errorf("%s %v: shown to be at least %d for the side that is not to move; it is %d", g.Name(), key, score, -got)
				}
			}
		}
	}
	for odd, n := range claims {
		if n[0] < 100 || n[1] < 100 {
			t.Errorf("%d draws and %d wins were shown with an odd number (%d) of empty cells; want more", n[0], n[1], odd)
		}
	}
	t.Log(claims)
}

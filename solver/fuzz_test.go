package solver_test

import (
	"testing"

	"tengen/game"
	"tengen/game/lines"
	"tengen/solver"
)

// FuzzAlphaBeta reads a board from the first bytes and moves from the rest, and holds alpha-beta against minimax.
func FuzzAlphaBeta(f *testing.F) {
	f.Add([]byte{0, 2, 2, 2, 0, 4, 8})
	f.Add([]byte{0, 3, 2, 2, 1, 7, 5, 3, 0})
	f.Add([]byte{1, 3, 3, 3, 0, 0, 1, 1, 2, 2, 3, 3})
	f.Add([]byte{1, 2, 3, 2})
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) < 4 {
			return
		}
		columns, rows := 1+int(data[1]%4), 1+int(data[2]%4)
		numbers := lines.Format(game.Size{Columns: columns, Rows: rows}, 1+int(data[3])%max(columns, rows))
		if data[0]%2 == 0 {
			fuzzBoard(t, newMNK(t, numbers), data[4:])
		} else {
			fuzzBoard(t, newConnect4(t, numbers), data[4:])
		}
	})
}

func fuzzBoard[S game.State[S]](t *testing.T, g game.Game[S], moves []byte) {
	s := g.Start()
	for _, b := range moves {
		if legal := s.Legal(nil); len(legal) > 0 {
			s = s.Play(legal[int(b)%len(legal)])
		}
	}
	for g.MaxPlies()-s.Ply() > 9 { // too many plies are left for minimax
		legal := s.Legal(nil)
		if len(legal) == 0 {
			break
		}
		s = s.Play(legal[len(legal)/2])
	}
	want := minimax(s, g.MaxPlies(), map[game.Key]solver.Score{})
	for _, config := range configs {
		if got := solve(t, solver.NewAlphaBeta(g, config), s); got != want {
			t.Errorf("%s, %+v: position %x scores %d; want %d", g.Name(), config, s.Key(), got, want)
		}
	}
}

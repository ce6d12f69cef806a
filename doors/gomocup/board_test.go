package gomocup

import (
	"testing"

	"pgregory.net/rapid"

	"tengen/game"
	"tengen/game/mnk"
)

// The stones of a game, set up in the order of play, are the position that play reaches, so that what was thought is kept; in any
// other order, the last move is all that may be missing.
func TestBoardIsTheGame(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g, err := mnk.New(game.Size{Rows: rapid.IntRange(5, 20).Draw(t, "rows"), Columns: rapid.IntRange(5, 20).Draw(t, "columns")}, 5)
		if err != nil {
			t.Fatal(err)
		}
		s := g.Start()
		b := newBoard(g)
		var stones [][]int
		plies := rapid.IntRange(0, 40).Draw(t, "plies")
		for ply := range plies {
			legal := s.Legal(nil)
			if len(legal) == 0 {
				t.Skip("over")
			}
			a := rapid.SampledFrom(legal).Draw(t, "move")
			s = s.Play(a)
			side, whose := own, 1
			if ply%2 != plies%2 {
				side, whose = opponent, 2
			}
			x, y := int(a)%g.Board().Columns, int(a)/g.Board().Columns
			stones = append(stones, []int{x, y, whose})
			if err := b.put(side, x, y); err != nil {
				t.Fatal(err)
			}
		}
		if _, over := s.Outcome(); over {
			t.Skip("over")
		}
		if got, err := b.state(); err != nil || got != s {
			t.Fatalf("put: %+v, %v; want %+v", got, err, s)
		}
		ordered, err := b.setUp(stones)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := ordered.state(); err != nil || got != s {
			t.Fatalf("set up: %+v, %v; want %+v", got, err, s)
		}
		mixed, err := b.setUp(rapid.Permutation(stones).Draw(t, "order"))
		if err != nil {
			t.Fatal(err)
		}
		got, err := mixed.state()
		if err != nil || got.Key() != s.Key() || got.ToMove() != s.ToMove() || got.Ply() != s.Ply() {
			t.Fatalf("in another order: %+v, %v; want %+v", got, err, s)
		}
	})
}

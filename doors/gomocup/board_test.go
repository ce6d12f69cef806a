package gomocup

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"tengen/game"
)

// The stones of a game, set up in the order of play, are the position that play reaches, so that what was thought is kept; in any
// other order, the last move is all that may be missing.
func TestBoardIsTheGame(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		size := game.Size{Rows: rapid.IntRange(5, 20).Draw(t, "rows"), Columns: rapid.IntRange(5, 20).Draw(t, "columns")}
		v, err := open(size, 0)
		if err != nil {
			t.Fatal(err)
		}
		want := v.Start()
		b := newBoard(v)
		var stones [][]int
		plies := rapid.IntRange(0, 40).Draw(t, "plies")
		for ply := range plies {
			if want.Over {
				t.Skip("over")
			}
			a := rapid.SampledFrom(want.Legal).Draw(t, "move")
			if want, err = want.Play(a); err != nil {
				t.Fatal(err)
			}
			side, whose := own, 1
			if ply%2 != plies%2 {
				side, whose = opponent, 2
			}
			x, y := int(a)%size.Columns, int(a)/size.Columns
			stones = append(stones, []int{x, y, whose})
			if err := b.put(side, x, y); err != nil {
				t.Fatal(err)
			}
		}
		if want.Over {
			t.Skip("over")
		}
		check := func(how string, b *board) {
			t.Helper()
			p, err := b.position()
			if err != nil || !slices.Equal(p.Cells, want.Cells) || p.ToMove != want.ToMove {
				t.Fatalf("%s: %+v, %v; want %+v", how, p, err, want)
			}
		}
		check("put", b)
		ordered, err := b.setUp(stones)
		if err != nil {
			t.Fatal(err)
		}
		check("set up", ordered)
		mixed, err := b.setUp(rapid.Permutation(stones).Draw(t, "order"))
		if err != nil {
			t.Fatal(err)
		}
		check("in another order", mixed)
	})
}

package mnk_test

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"tengen/game"
	"tengen/game/gametest"
	"tengen/game/mnk"
)

// A position that no alternate moves lead to goes on by the rules, whoever is to move.
func TestSetupWithAnyNumbersOfStones(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		size := game.Size{Rows: rapid.IntRange(1, 20).Draw(t, "rows"), Columns: rapid.IntRange(1, 20).Draw(t, "columns")}
		rule := rapid.SampledFrom(rules).Draw(t, "rule")
		g, err := mnk.NewByRule(size, rapid.IntRange(1, max(size.Rows, size.Columns)).Draw(t, "k"), rule)
		if err != nil {
			t.Skip(err)
		}
		cells := rapid.SliceOfN(rapid.SampledFrom([]game.Side{0, 0, 0, 0, 0, 0, game.First, game.Second}), size.Cells(), size.Cells()).Draw(t, "cells")
		toMove := rapid.SampledFrom([]game.Side{game.First, game.Second}).Draw(t, "side to move")
		s, err := g.FromStones(cells, toMove, game.None)
		if err != nil {
			t.Skip(err)
		}
		for {
			stones := size.Cells() - count(cells, game.Nobody)
			if s.ToMove() != toMove || s.Ply() != stones {
				t.Fatalf("the %v is to move at ply %d; want the %v at %d", s.ToMove(), s.Ply(), toMove, stones)
			}
			planes := make([]float32, game.InputLen(g))
			s.Encode(planes)
			for i, side := range cells {
				own, opponent, first := planes[i], planes[len(cells)+i], planes[3*len(cells)+i]
				if s.Cell(i) != side || own-opponent != float32(side*toMove) || own*opponent != 0 || (first == 1) != (toMove == game.First) {
					t.Fatalf("cell %d of the %v, %v to move: shown as that of the %v, with planes %v, %v, %v",
						i, side, toMove, s.Cell(i), own, opponent, first)
				}
			}
			// The same stones with the sides exchanged are the same game to the side to move.
			exchanged, err := g.FromStones(negated(cells), toMove.Opponent(), s.Last())
			if err != nil {
				t.Fatal(err)
			}
			if exchanged.Key() != s.Key() || !slices.Equal(exchanged.Legal(nil), s.Legal(nil)) {
				t.Fatalf("with the sides exchanged, the key is %x and not %x, or the legal moves differ", exchanged.Key(), s.Key())
			}
			legal := s.Legal(nil)
			if len(legal) == 0 {
				return
			}
			a := rapid.SampledFrom(legal).Draw(t, "move")
			s = s.Play(a)
			cells[a], toMove = toMove, toMove.Opponent()
			if again, err := g.FromStones(cells, toMove, a); err != nil || again != s {
				t.Fatalf("after %s the position is %+v; set up, %+v, %v", g.Start().Format(a), s, again, err)
			}
		}
	})
}

func count(cells []game.Side, side game.Side) (n int) {
	for _, other := range cells {
		if other == side {
			n++
		}
	}
	return n
}

func negated(cells []game.Side) (all []game.Side) {
	for _, side := range cells {
		all = append(all, side.Opponent())
	}
	return all
}

func TestSetupByHand(t *testing.T) {
	for _, test := range []struct {
		rows   []string
		toMove game.Side
		z      float32
		over   bool
	}{
		{[]string{"...", "...", "..."}, game.Second, 0, false},
		{[]string{"XXO", "...", "..."}, game.First, 0, false},
		{[]string{"XX.", "XX.", "..."}, game.First, 0, false},
		{[]string{"XXX", "OO.", "..."}, game.Second, -1, true},
		{[]string{"OOO", "...", "..."}, game.First, -1, true},
		{[]string{"XXO", "OOX", "XXO"}, game.Second, 0, true},
		{[]string{"XXO", "OOX", "XXO"}, game.First, 0, true},
	} {
		s, err := mnk.TicTacToe().FromStones(gametest.Stones(test.rows...), test.toMove, game.None)
		if err != nil {
			t.Errorf("%q: %v", test.rows, err)
			continue
		}
		if z, over := s.Outcome(); z != test.z || over != test.over {
			t.Errorf("%q: outcome %v, %t; want %v, %t", test.rows, z, over, test.z, test.over)
		}
	}
}

func TestSetupErrors(t *testing.T) {
	for _, test := range []struct {
		rows    []string
		toMove  game.Side
		last    game.Action
		message string
	}{
		{[]string{"XXX", "OO.", "..."}, game.First, game.None, "the first player has already won"},
		{[]string{"XXX", "OOO", "..."}, game.First, game.None, "both players have won"},
		{[]string{"X..", "...", "..."}, game.Second, 1, "last move #1: there is no stone of the first player"},
		{[]string{"XO.", "...", "..."}, game.Second, 1, "last move #1: there is no stone of the first player"},
		{[]string{"X..", "...", "..."}, game.Second, 9, "last move #9"},
		{[]string{"X..", "...", "..."}, game.Second, -2, "last move #-2"},
		{[]string{"X..", "..."}, game.Second, game.None, "stones for 6 cells; the board of 3 columns, 3 rows has 9"},
		{[]string{"...", "...", "..."}, game.Nobody, game.None, "the side to move is 0"},
	} {
		_, err := mnk.TicTacToe().FromStones(gametest.Stones(test.rows...), test.toMove, test.last)
		if err == nil || !strings.Contains(err.Error(), test.message) || !strings.Contains(err.Error(), "tictactoe") {
			t.Errorf("%q: error %v; want one with %q", test.rows, err, test.message)
		}
	}
}

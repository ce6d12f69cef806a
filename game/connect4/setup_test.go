package connect4_test

import (
	"strings"
	"testing"

	"tengen/game"
	"tengen/game/gametest"
)

func TestSetupByHand(t *testing.T) {
	g := parse(t, "4,3,3")
	for _, test := range []struct {
		moves string
		rows  []string
	}{
		{"", []string{"....", "....", "...."}},
		{"2213", []string{"....", ".O..", "XXO."}},
		{"1222", []string{".O..", ".X..", "XO.."}},
		{"11223", []string{"....", "OO..", "XXX."}}, // won
	} {
		want := gametest.Replay(t, g, test.moves)
		got, err := g.FromStones(gametest.Stones(test.rows...), want.ToMove(), want.Last())
		if err != nil || got != want {
			t.Errorf("%q: %+v, %v; want %+v", test.rows, got, err, want)
		}
	}
}

func TestSetupErrors(t *testing.T) {
	g := parse(t, "4,3,3")
	for _, test := range []struct {
		rows    []string
		toMove  game.Side
		last    game.Action
		message string
	}{
		{[]string{"....", "..X.", "O..."}, game.First, game.None, "a stone of the first player floats in column 3: the cell below it, 1 from the bottom, is empty"},
		{[]string{"O...", "....", "X..."}, game.First, game.None, "a stone of the second player floats in column 1: the cell below it, 2 from the bottom, is empty"},
		{[]string{"....", "....", "XX.."}, game.First, game.None, "2 stones of the first player and 0 of the second, the first player to move"},
		{[]string{"....", "....", "XO.."}, game.Second, game.None, "1 stones of the first player and 1 of the second, the second player to move"},
		{[]string{"....", "....", "OO.X"}, game.Second, game.None, "1 stones of the first player and 2 of the second"},
		{[]string{"....", "OOO.", "XXX."}, game.First, game.None, "both players have won"},
		{[]string{"....", "XX..", "OOOX"}, game.Second, game.None, "3 stones of the first player and 3 of the second"},
		{[]string{"...O", "...O", "XXXO"}, game.First, game.None, "both players have won"},
		{[]string{"...X", "...O", "XXXO"}, game.Second, 2, "4 stones of the first player and 2 of the second"},
		{[]string{"...O", "...O", "XXXO"}[:2], game.First, game.None, "stones for 8 cells"},
		{[]string{"O...", "O...", "XXXO"}, game.First, game.None, "the first player has already won"},
		{[]string{"....", "....", "X..."}, game.Second, 1, "last move #1: the top of that column is not a stone of the first player"},
		{[]string{"....", "O...", "X..X"}, game.Second, 0, "last move #0: the top of that column is not a stone of the first player"},
		{[]string{"....", "....", "X..."}, game.Second, 4, "last move #4"},
		{[]string{"....", "....", "X..."}, game.Second, 64, "last move #64"},
		{[]string{"....", "....", "X..."}, game.Second, -2, "last move #-2"},
		{[]string{"....", "....", "...."}, game.Nobody, game.None, "the side to move is 0"},
	} {
		_, err := g.FromStones(gametest.Stones(test.rows...), test.toMove, test.last)
		if err == nil || !strings.Contains(err.Error(), test.message) || !strings.Contains(err.Error(), "connect4:4,3,3") {
			t.Errorf("%q: error %v; want one with %q", test.rows, err, test.message)
		}
	}
}

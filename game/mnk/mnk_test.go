package mnk_test

import (
	"strings"
	"testing"

	"tengen/game"
	"tengen/game/gametest"
	"tengen/game/mnk"
)

func TestNames(t *testing.T) {
	for _, test := range []struct{ numbers, name string }{
		{"3,3,3", "tictactoe"},
		{"15,15,5", "gomoku"},
		{" 6, 6, 4", "mnk:6,6,4"},
		{"7,5,4", "mnk:7,5,4"},
		{"3,3,2", "mnk:3,3,2"},
		{"15,15,5,exact", "mnk:15,15,5,exact"},
		{"15, 15, 5, caro", "mnk:15,15,5,caro"},
		{"9,8,5,caro,exact", "mnk:9,8,5,exact,caro"},
	} {
		if got := parse(t, test.numbers).Name(); got != test.name {
			t.Errorf("Parse(%q) is named %q; want %q", test.numbers, got, test.name)
		}
	}
	for want, g := range map[string]*mnk.Game{"tictactoe": mnk.TicTacToe(), "gomoku": mnk.Gomoku()} {
		if got := g.Name(); got != want {
			t.Errorf("%s is named %q", want, got)
		}
	}
	if got, want := parse(t, "7,5,4").Board(), (game.Size{Rows: 5, Columns: 7}); got != want {
		t.Errorf("7,5,4 has %v; want %v", got, want)
	}
}

func TestBadBoards(t *testing.T) {
	for _, test := range []struct{ numbers, message string }{
		{"", "want three numbers, columns,rows,k"},
		{"6,6", "want three numbers, columns,rows,k"},
		{"6,6,4,1", `"1" is not a rule`},
		{"6,6,4,exact,exact", `"exact" is not a rule or is repeated`},
		{"6,six,4,exact", `"six" is not a number`},
		{"6,6,1,exact", "k is 1: it must be at least 2 for the rule exact"},
		{"6,six,4", `"six" is not a number`},
		{"0,6,4", "columns must be from 1 to 20"},
		{"21,6,4", "columns must be from 1 to 20"},
		{"6,-1,4", "rows must be from 1 to 20"},
		{"6,21,4", "rows must be from 1 to 20"},
		{"6,5,0", "k must be from 1 to 6"},
		{"5,6,7", "k must be from 1 to 6"},
	} {
		if _, err := mnk.Parse(test.numbers); err == nil || !strings.Contains(err.Error(), test.message) {
			t.Errorf("Parse(%q): error %v; want one with %q", test.numbers, err, test.message)
		}
	}
}

func TestIllegalMovePanics(t *testing.T) {
	g := mnk.TicTacToe()
	for _, test := range []struct {
		moves   string
		a       game.Action
		message string
	}{
		{"b2", 4, "tictactoe: move #4 is on a taken cell"},
		{"b2", 9, "tictactoe: move #9 is not on the board"},
		{"b2", game.None, "tictactoe: move #-1 is not on the board"},
		{"a1 a2 b1 b2 c1", 0, "tictactoe: move #0 comes after the end of the game"},
	} {
		s := gametest.Replay(t, g, test.moves)
		func() {
			defer func() {
				if got := recover(); got != test.message {
					t.Errorf("after %s: panic %q; want %q", test.moves, got, test.message)
				}
			}()
			s.Play(test.a)
		}()
	}
}

func TestGamesByHand(t *testing.T) {
	for _, test := range []struct {
		numbers, moves string
		z              float32
		over           bool
	}{
		{"1,1,1", "a1", -1, true},
		{"3,3,3", "a3 c3 b3 a2 b2 b1 c2 a1", 0, false},
		{"3,3,3", "a3 c3 b3 a2 b2 b1 c2 a1 c1", -1, true}, // a win with the last stone
		{"3,3,3", "a3 b3 c3 b2 a2 c2 b1 a1 c1", 0, true},
		{"3,3,3", "c3 a1 c2 b1 b2 c1", -1, true}, // the second player wins
		{"15,15,5", "h8 a1 i9 a2 j10 a3 k11 a4 l12", -1, true},
		{"15,15,5", "h8 a1 i9 a2 j10 a3 k11 a4 g6 a5", -1, true},
	} {
		z, over := gametest.Replay(t, parse(t, test.numbers), test.moves).Outcome()
		if z != test.z || over != test.over {
			t.Errorf("%s after %s: outcome %v, %t; want %v, %t", test.numbers, test.moves, z, over, test.z, test.over)
		}
	}
}

// TestFullBoardIsDrawn fills boards with pairs of stones, shifted from row to row, which make no line of three.
func TestFullBoardIsDrawn(t *testing.T) {
	for _, numbers := range []string{"6,6,3", "6,6,4", "15,15,5", "20,20,5"} {
		g := parse(t, numbers)
		width := g.Board().Columns
		var byPlayer [2][]game.Action
		for cell := range g.Actions() {
			player := (cell%width/2 + cell/width) % 2
			byPlayer[player] = append(byPlayer[player], game.Action(cell))
		}
		s := g.Start()
		for ply := range g.Actions() {
			if _, over := s.Outcome(); over {
				t.Fatalf("%s: the game is over after %d moves", numbers, ply)
			}
			s = s.Play(byPlayer[ply%2][ply/2])
		}
		if z, over := s.Outcome(); z != 0 || !over {
			t.Errorf("%s: outcome of a full board %v, %t; want a draw", numbers, z, over)
		}
	}
}

func TestLabelsSpellMoves(t *testing.T) {
	for _, numbers := range []string{"1,1,1", "3,4,3", "20,20,5"} {
		g := parse(t, numbers)
		columns, rows := g.Labels()
		for cell := range g.Actions() {
			want := columns[cell%len(columns)] + rows[cell/len(columns)]
			if got := g.Start().Format(game.Action(cell)); got != want {
				t.Errorf("%s: cell %d is written %s; its labels are %s", numbers, cell, got, want)
			}
		}
	}
}

func TestNumberOfSymmetries(t *testing.T) {
	for numbers, want := range map[string]int{"3,3,3": 8, "4,3,3": 4} {
		if got := len(parse(t, numbers).Symmetries()); got != want {
			t.Errorf("%s has %d symmetries; want %d", numbers, got, want)
		}
	}
}

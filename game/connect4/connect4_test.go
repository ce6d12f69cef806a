package connect4_test

import (
	"strings"
	"testing"

	"tengen/game"
	"tengen/game/connect4"
	"tengen/game/gametest"
)

func TestNames(t *testing.T) {
	for _, test := range []struct{ numbers, name string }{
		{"7,6,4", "connect4"},
		{" 6, 5, 4", "connect4:6,5,4"},
		{"7,6,5", "connect4:7,6,5"},
		{"6,7,4", "connect4:6,7,4"},
	} {
		if got := parse(t, test.numbers).Name(); got != test.name {
			t.Errorf("Parse(%q) is named %q; want %q", test.numbers, got, test.name)
		}
	}
	if got := connect4.Standard().Name(); got != "connect4" {
		t.Errorf("Standard is named %q", got)
	}
	if got, want := parse(t, "6,5,4").Board(), (game.Size{Rows: 5, Columns: 6}); got != want {
		t.Errorf("6,5,4 has %v; want %v", got, want)
	}
}

func TestBadBoards(t *testing.T) {
	for _, test := range []struct{ numbers, message string }{
		{"7,6", "want three numbers, columns,rows,k"},
		{"7,x,4", `"x" is not a number`},
		{"0,6,4", "columns must be from 1 to 64"},
		{"65,1,4", "columns must be from 1 to 64"},
		{"7,0,4", "rows must be from 1 to 64"},
		{"13,5,4", "65 cells; at most 64"},
		{"7,6,0", "k must be from 1 to 7"},
		{"7,6,8", "k must be from 1 to 7"},
	} {
		if _, err := connect4.Parse(test.numbers); err == nil || !strings.Contains(err.Error(), test.message) {
			t.Errorf("Parse(%q): error %v; want one with %q", test.numbers, err, test.message)
		}
	}
}

func TestGamesByHand(t *testing.T) {
	for _, test := range []struct {
		numbers, moves string
		z              float32
		over           bool
	}{
		{"1,1,1", "1", -1, true},
		{"7,6,4", "444444", 0, false},
		{"7,6,4", "1212121", -1, true},     // upright
		{"7,6,4", "1122334", -1, true},     // level
		{"7,6,4", "12233434464", -1, true}, // rising to the right
		{"7,6,4", "76655454424", -1, true}, // falling to the right
		{"7,6,4", "71212121", -1, true},    // the second player wins
		{"7,6,4", "112233544", 0, false},   // a gap
		{"7,6,4", "11223355664", -1, true}, // an overline of six
		{"7,6,4", "112233776", 0, false},   // level, but around the edge
		{"7,6,4", "244626743113142264113661275247353375556757", 0, true},
		{"7,6,4", "246521463464467222245165175673111575377333", -1, true},
		{"7,6,4", "24652146346446722224516517567311157537733", 0, false}, // the same before its last stone, which wins
		{"8,8,4", "6176476135161114721444135736655634867838755528278342253837828242", 0, true},
		{"8,8,4", "4826266634816835723213245312111652586586323855881173444574477777", -1, true},
	} {
		z, over := gametest.Replay(t, parse(t, test.numbers), test.moves).Outcome()
		if z != test.z || over != test.over {
			t.Errorf("%s after %s: outcome %v, %t; want %v, %t", test.numbers, test.moves, z, over, test.z, test.over)
		}
	}
}

func TestIllegalMovePanics(t *testing.T) {
	for _, test := range []struct {
		moves   string
		a       game.Action
		message string
	}{
		{"444444", 3, "connect4: move #3 is into a full column"},
		{"111111", 0, "connect4: move #0 is into a full column"},
		{"4", 7, "connect4: move #7 is not a column of the board"},
		{"4", 64, "connect4: move #64 is not a column of the board"},
		{"4", game.None, "connect4: move #-1 is not a column of the board"},
		{"1212121", 6, "connect4: move #6 comes after the end of the game"},
	} {
		s := gametest.Replay(t, connect4.Standard(), test.moves)
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

func TestLabels(t *testing.T) {
	columns, rows := connect4.Standard().Labels()
	if got := strings.Join(columns, " "); got != "1 2 3 4 5 6 7" || rows != nil {
		t.Errorf("columns %q, rows %q; want 1 to 7 and no rows", got, rows)
	}
}

package mcts_test

import (
	"strings"
	"testing"

	"tengen/game"
	"tengen/game/connect4"
	"tengen/game/gametest"
	"tengen/game/mnk"
	"tengen/internal/random"
	"tengen/mcts"
)

// tactic is a position in which only the wanted moves do not give away a forced result.
type tactic struct {
	name, moves string
	want        string // moves in the game's notation, separated by blanks
	simulations int
}

// A search that knows nothing but the rules finds forced wins and forced defences within few simulations.
func TestTacticsTicTacToe(t *testing.T) {
	//	a3 b3 c3
	//	a2 b2 c2
	//	a1 b1 c1
	checkTactics(t, mnk.TicTacToe(), []tactic{
		{"row", "a1 a3 b1 b3", "c1", 50},
		{"column", "a1 b1 a2 b2", "a3", 50},
		{"diagonal", "a1 b1 b2 c1", "c3", 50},
		{"other diagonal", "a3 b3 b2 a2", "c1", 50},
		{"second player wins", "a1 b2 a2 a3 c3", "c1", 50},
		{"block", "a1 b2 b1", "c1", 100},
		{"win before block", "a1 a3 b1 b3 c3 c1", "b2", 100},
		{"fork", "b2 b1", "a1 a2 a3 c1 c2 c3", 1000}, // all but b3
		{"opposite corners: an edge", "a1 b2 c3", "a2 b1 b3 c2", 1000},
		{"corner: the centre", "a1", "b2", 4000},
	})
}

// Where nothing guides the search but the order of more than 200 moves, lines at the top of the board, whose cells have
// the lowest numbers, are found soonest.
func TestTacticsGomoku(t *testing.T) {
	checkTactics(t, mnk.Gomoku(), []tactic{
		{"five", "h15 a1 i15 a3 j15 a5 k15 a7", "g15 l15", 1000},
		{"five in the gap", "h8 a1 i8 a3 k8 a5 l8 a7", "j8", 1000},
		{"block four", "a15 h8 b15 h10 c15 k4 d15", "e15", 3000},
		{"block four in the gap", "a15 h8 b15 h10 d15 k4 e15", "c15", 3000},
		{"five before block", "h8 a1 i8 b1 j8 c1 k8 d1", "g8 l8", 1000},
		{"open four", "c15 a1 d15 a3 e15 a5", "b15 f15", 10_000},
	})
}

func TestTacticsConnectFour(t *testing.T) {
	checkTactics(t, connect4.Standard(), []tactic{
		{"column", "121314", "1", 100},
		{"row to the right", "112233", "4", 100},
		{"row to the left", "776655", "4", 100},
		{"row in the gap", "112244", "3", 100},
		{"rising diagonal", "1223343446", "4", 200},
		{"falling diagonal", "7665545442", "4", 200},
		{"block the column", "12131", "1", 200},
		{"block the row", "1122336", "4", 200},
		{"win before block", "121212", "1", 100},
		{"two open threats win", "4437", "2 5", 2000},
		{"forestall two open threats", "443", "2 5", 5000},
	})
}

func checkTactics[S game.State[S]](t *testing.T, g game.Game[S], tactics []tactic) {
	t.Helper()
	for _, test := range tactics {
		s := searched(t, alphaZero(), g.Actions(), gametest.Replay(t, g, test.moves), &mcts.Uniform[S]{}, test.simulations)
		got := g.Start().Format(decided(s, 0, random.New(1, random.Test)).Action)
		if !strings.Contains(" "+test.want+" ", " "+got+" ") {
			t.Errorf("%s, after %s: plays %s, want %s", test.name, test.moves, got, test.want)
		}
	}
}

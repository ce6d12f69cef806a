package solver_test

import (
	"testing"

	"tengen/game"
	"tengen/game/connect4"
	"tengen/game/gametest"
	"tengen/game/mnk"
	"tengen/solver"
)

// Connect Four's published scale: 18 for a win with the winner's fourth stone, 1 for one with the last stone of either
// side; and 1 for the last stone of an odd board.
func TestWinAt(t *testing.T) {
	for _, test := range []struct {
		cells, ply int
		want       solver.Score
	}{{42, 7, 18}, {42, 8, 18}, {42, 41, 1}, {42, 42, 1}, {9, 5, 3}, {9, 6, 3}, {9, 9, 1}} {
		if got := solver.WinAt(test.cells, test.ply); got != test.want {
			t.Errorf("a win at ply %d of %d scores %d; want %d", test.ply, test.cells, got, test.want)
		}
	}
}

// The plies left are those until a win scores what it does.
func TestPliesLeft(t *testing.T) {
	for _, cells := range []int{9, 42} {
		for ply := range cells {
			if got := solver.PliesLeft(cells, ply, 0); got != cells-ply {
				t.Errorf("draw at ply %d of %d: %d plies left", ply, cells, got)
			}
			for last := ply + 1; last <= cells; last++ {
				score := solver.WinAt(cells, last)
				if (last-ply)%2 == 0 {
					score = -score
				}
				if got := solver.PliesLeft(cells, ply, score); got != last-ply {
					t.Errorf("score %d at ply %d of %d: %d plies left; want %d", score, ply, cells, got, last-ply)
				}
			}
		}
	}
}

// Whoever moves on a board that was set up, the game ends with the winner's own move.
func TestPliesToEndOfAnySide(t *testing.T) {
	g := mnk.TicTacToe()
	cells := make([]game.Side, 9)
	cells[0], cells[1], cells[8] = game.First, game.First, game.Second
	for toMove, want := range map[game.Side]int{game.First: 1, game.Second: 3} {
		s, err := g.FromStones(cells, toMove, game.None)
		if err != nil {
			t.Fatal(err)
		}
		score := solver.WinAt(9, s.Ply()+want)
		if got := solver.PliesToEnd(9, s, score); got != want {
			t.Errorf("%v to move: %d plies to the end; want %d", toMove, got, want)
		}
	}
}

func TestFinal(t *testing.T) {
	g := mnk.TicTacToe()
	for moves, want := range map[string]solver.Score{
		"a1 a2 b1 b2 c1":             -3, // the winner's third stone, in the loser's view
		"a1 a2 b1 b2 c3 c2":          -3, // the second player's third
		"a1 b2 c3 b1 b3 a3 c1 c2 a2": 0,
	} {
		if got, over := solver.Final(gametest.Replay(t, g, moves), 9); got != want || !over {
			t.Errorf("%s: score %d, over %v; want %d, true", moves, got, over, want)
		}
	}
	if got, over := solver.Final(g.Start(), 9); got != 0 || over {
		t.Errorf("the empty board: score %d, over %v", got, over)
	}
}

// Positions of the published benchmark set for Connect Four solvers (Pons, end-easy), with their scores.
func TestPublishedScores(t *testing.T) {
	g := connect4.Standard()
	ab := solver.NewAlphaBeta(g, solver.Default())
	for moves, want := range map[string]solver.Score{
		"2252576253462244111563365343671351441":     -1,
		"7422341735647741166133573473242566":        1,
		"23163416124767223154467471272416755633":    0,
		"71255763773133525731261364622167124446454": 0,
		"65214673556155731566316327373221417":       -1,
		"52677675164321472411331752454":             0,
	} {
		if got := solve(t, ab, gametest.Replay(t, g, moves)); got != want {
			t.Errorf("%s scores %d; want %d", moves, got, want)
		}
	}
}

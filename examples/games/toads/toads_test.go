package toads

import (
	"strings"
	"testing"

	"tengen/game"
	"tengen/game/gametest"
	"tengen/solver"
)

var parse = gametest.Parser(Parse)

func TestConformance(t *testing.T) {
	for _, numbers := range []string{"1,1,1", "2,2,3", "3,3,2", "3,2,8"} {
		t.Run(numbers, func(t *testing.T) { gametest.Run(t, parse(t, numbers)) })
	}
}

func TestBadBoards(t *testing.T) {
	for _, numbers := range []string{"", "2", "2,2", "0,1,1", "1,0,1", "1,1,0", "3,3,8", "a,1,1", "1,1,1,1"} {
		if g, err := Parse(numbers); err == nil {
			t.Errorf("%q is read as %s; want an error", numbers, g.Name())
		}
	}
}

// In one row of two toads and two frogs with one empty cell, all moves after the first are forced, and the toads win.
func TestGameByHand(t *testing.T) {
	s := gametest.Replay(t, parse(t, "2,1,1"), "b1c1")
	for _, want := range []string{"d1b1", "c1d1", "e1c1", "d1e1"} {
		legal := s.Legal(nil)
		if moves := game.MoveList(s, legal); len(moves) != 1 || moves[0] != want {
			t.Fatalf("legal moves %v; want %s", moves, want)
		}
		s = s.Play(legal[0])
	}
	if z, over := s.Outcome(); !over || z != -1 || s.ToMove() != game.Second {
		t.Errorf("over %t, outcome %v for the %v", over, z, s.ToMove())
	}
}

// TestSolved compares small boards with an independent solver, which represents positions as strings.
func TestSolved(t *testing.T) {
	for _, numbers := range []string{"1,1,1", "2,1,1", "2,2,1", "2,3,1", "3,2,1", "3,3,1", "1,2,2", "2,1,2", "2,2,2", "1,2,3", "2,2,3"} {
		g := parse(t, numbers)
		row := strings.Repeat("T", g.toads) + strings.Repeat("_", g.gap) + strings.Repeat("F", g.toads)
		want := canWin(strings.Repeat(row+"|", g.size.Rows), map[string]bool{})
		exact, err := solver.General[State](g).New(solver.Options{TableMegabytes: 64, Threads: 1})
		if err != nil {
			t.Fatal(err)
		}
		if score, err := exact.Solve(t.Context(), g.Start()); err != nil || (score > 0) != want {
			t.Errorf("%s: score %d, error %v; does the first player win: %t", g.Name(), score, err, want)
		}
	}
}

// canWin reports whether the toads win, who are to move.
func canWin(board string, known map[string]bool) (wins bool) {
	if wins, ok := known[board]; ok {
		return wins
	}
	for _, move := range [][2]string{{"T_", "_T"}, {"TF_", "_FT"}} {
		for i := range board {
			if strings.HasPrefix(board[i:], move[0]) {
				next := board[:i] + move[1] + board[i+len(move[0]):]
				wins = wins || !canWin(mirror(next), known)
			}
		}
	}
	known[board] = wins
	return wins
}

// mirror turns a board around and exchanges the sides.
func mirror(board string) string {
	turned := []byte(strings.NewReplacer("T", "F", "F", "T").Replace(board))
	for i, j := 0, len(turned)-1; i < j; i, j = i+1, j-1 {
		turned[i], turned[j] = turned[j], turned[i]
	}
	return string(turned)
}
